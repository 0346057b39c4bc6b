import { expect, test } from 'vitest'
import { faultQueue, parseFaults } from '../../bench/rehearsal/faults.ts'

test('the compact form is the table', () => {
  expect(parseFaults('500*2@stage=late-changes,step=1; 429:7@call=3 ;slow:500*always;cut;silence@summary;')).toEqual([
    { do: '500', times: 2, when: { stage: 'late-changes', step: 1 } },
    { do: '429', value: 7, times: 1, when: { call: 3 } },
    { do: 'slow', value: 500, times: 'always', when: {} },
    { do: 'cut', times: 1, when: {} },
    { do: 'silence', times: 1, when: { summary: true } },
  ])
  expect(parseFaults('')).toEqual([])
})

test('every wrong row is listed', () => {
  const parse = () => parseFaults('explode; cut*0; 200; slow:fast; cut@place=3; 500@step=x; nonsense@summary=1; cut')
  for (const wrong of ['explode', 'cut*0', '200', 'slow:fast', 'cut@place=3', '500@step=x', 'nonsense@summary=1'])
    expect(parse).toThrow(`"${wrong}": `)
  expect(parse).not.toThrow('"cut": ')
})

test('the first row that fits is used as often as it says', () => {
  const next = faultQueue([
    { do: '500', times: 2, when: { stage: 'initial', step: 2 } },
    { do: '429', when: { call: 4 } },
    { do: 'cut', when: { summary: true } },
    { do: 'no_usage', times: 'always', when: { stage: 'late' } },
  ])
  const at = (call: number, stage: string | null, step: number | null) => next({ call, stage, step })?.do ?? null
  expect([
    at(1, 'initial', 1),
    at(2, 'initial', 2),
    at(3, 'initial', 2),
    at(4, 'initial', 2),
    at(5, 'initial', 2),
    at(6, null, null),
    at(7, null, null),
    at(8, 'late', 1),
    at(9, 'late', 2),
  ]).toEqual([null, '500', '500', '429', null, 'cut', null, 'no_usage', 'no_usage'])
})
