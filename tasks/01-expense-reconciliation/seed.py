"""Generated files of task 01: bank rows, receipts and categories of one household."""

import sys
from datetime import date, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures-gen"))

from benchlib import fixtures, seeding

type BankRow = tuple[str, str, str, str]  # id, posted date, description, amount; the currency is USD
type Receipt = tuple[str, str, str, str, str]  # id, merchant, paid date, total, currency

CATEGORIES = [
    ("transfer", "Transfer"),
    ("north market", "Groceries"),  # before "market": the first pattern wins
    ("market", "General"),
    ("fresh mart", "Groceries"),
    ("café lumière", "Dining"),
    ("acme, inc", "Household"),
    ("metro transit", "Transport"),
    ("cloud books", "Books"),
    ("salary", "Income"),
    ("metro transit airport", "Travel"),  # longer, but later
    ("quick fuel", "Transport"),
    ("green grocer", "Groceries"),
    ("harbor hardware", "Household"),
    ("  Toll   Road ", "Transport"),  # patterns are normalized too
    ("straßenfest", "Leisure"),
    ("istanbul grill", "Dining"),
    ("escrow", "Property"),
    ("kindle", "eBooks"),  # sorts after every capital
    ("own account", "Transfer"),
]

# Each group has an amount of its own; filler never uses one of these amounts.
BANK: list[BankRow] = [
    (
        "B0001",
        "2025-01-10",
        "Cafe\u0301 Lumie\u0300re Paris",
        "-18.40",
    ),  # decomposed, receipt and pattern composed
    ("B0002", "2025-01-10", "NORTH MARKET 17", "-19.99"),  # same value on adjacent dates
    ("B0003", "2025-01-11", "NORTH MARKET 17", "-19.99"),
    ("B0004", "2025-01-15", "NORTH MARKET REFUND", "12.00"),  # positive: lowers Groceries, leaves R0204 alone
    ("B0005", "2025-01-16", "TRANSFER TO SAVINGS", "-400.00"),
    (
        "B0006",
        "2025-01-31",
        'ACME,   INC. "WEST"',
        "-42.15",
    ),  # 2 days over a month end; month of the posted date
    ("B0007", "2025-01-31", "Quick Fuel 9", "-43.20"),  # 3 days after
    ("B0008", "2025-03-02", "Quick Fuel 9", "-44.30"),  # 2 days before
    ("B0009", "2025-03-02", "Quick Fuel 9", "-45.40"),  # 3 days before
    ("B0010", "2025-03-05", "Quick Fuel 9", "-46.50"),  # 1 day after
    ("B0011", "2025-03-07", "Fresh Mart 3", "-61.20"),  # receipt in USN
    ("B0012", "2025-03-08", "Fresh Mart 3", "-75.10"),  # receipt one cent off
    ("B0013", "2025-03-09", "Fresh Mart 3", "-83.25"),  # another merchant
    ("B0014", "2025-03-10", "ACME INC 5", "-84.35"),  # punctuation stays
    ("B0015", "2025-03-11", "GREEN GROCER", "-21.35"),  # the merchant contains the description
    ("B0016", "2025-03-11", "ＮＯＲＴＨ　ＭＡＲＫＥＴ ４２", "-22.45"),  # full width
    ("B0017", "2025-03-12", "METRO\u00a0TRANSIT \t 8", "-23.55"),  # no-break space, a run with a tab
    ("B0018", "2025-03-12", "POS CLOUD BOOKS", "-24.65"),  # merchant with spaces at its ends
    ("B0019", "2025-03-12", "TOLL ROAD A7", "-25.75"),
    ("B0020", "2025-03-12", "STRASSENFEST KOELN", "-26.85"),  # casefold, not lower
    ("B0021", "2025-03-12", "ISTANBUL GRILL", "-27.95"),  # İ folds to i and a dot
    ("B0022", "2025-03-12", "CAFE LUMIERE", "-28.15"),  # accents stay
    ("B0023", "2025-03-13", "CORNER MARKET", "-29.25"),
    ("B0024", "2025-03-13", "METRO TRANSIT AIRPORT LINK", "-30.35"),
    (
        "B0025",
        "2025-04-10",
        "Harbor Hardware",
        "-131.10",
    ),  # smallest difference: not first, last, least or greatest
    ("B0026", "2025-04-15", "Harbor Hardware", "-132.20"),  # one day either side: R10000 before R9998
    ("B0028", "2025-04-20", "Harbor Hardware", "-133.30"),  # takes what fits B0027 better
    ("B0027", "2025-04-19", "Harbor Hardware", "-133.30"),
    ("B0030", "2025-04-22", "Harbor Hardware", "-134.40"),  # its other choice would leave one for B0029
    ("B0029", "2025-04-24", "Harbor Hardware", "-134.40"),
    ("B0031", "2025-05-02", "Harbor Hardware", "-135.50"),  # the nearer one is used up for the next row
    ("B0032", "2025-05-02", "Harbor Hardware", "-135.50"),
    ("B0033", "2025-05-05", "ACME, INC. RETURN", "136.60"),  # a positive row in front uses no receipt
    ("B0034", "2025-05-06", "ACME, INC. RETURN", "-136.60"),
    ("B0035", "2025-05-08", "TRANSFER ROOF REPAIR KOVAC", "-850.00"),  # a transfer with a receipt
    ("B0036", "2025-05-09", "TRANSFER FROM SAVINGS", "500.00"),
    ("B0037", "2025-06-03", "TRANSFER TO SAVINGS", "-300.00"),  # June has transfers only
    ("B0038", "2025-06-20", "TRANSFER FROM SAVINGS", "50.00"),
    ("B0039", "2025-07-02", "CLOUD BOOKS 5", "-30.00"),  # July cancels out
    ("B0040", "2025-07-09", "CLOUD BOOKS 5 CREDIT", "30.00"),
    ("B0041", "2025-03-12", "GOODWILL CREDIT", "15.00"),  # Refund
    ("B0042", "2025-03-13", "UNKNOWN KIOSK", "-16.00"),  # Uncategorized
    ("B0043", "2025-03-28", "SALARY MARCH", "3200.00"),
    ("B0044", "2025-04-02", "SALARY OVERPAYMENT PAID BACK", "-210.00"),
    ("B0045", "2025-08-01", "STRASSENFEST", "-5.00"),  # a negative value
    ("B0046", "2025-08-03", "STRASSENFEST TICKET REFUND", "17.00"),
    ("B0047", "2025-08-11", "ESCROW CLEARING", "-90071992547409.93"),  # floats lose these cents
    ("B0048", "2025-08-12", "ESCROW FEE", "-0.04"),
    ("B0049", "2025-08-13", "ESCROW NOTARY", "-80071992547409.21"),  # receipt one cent off, equal as floats
    ("B0050", "2025-08-15", "KINDLE STORE", "-3.00"),
    ("B0051", "2025-03-14", "SUPERMARKET 4", "-31.45"),  # a pattern within a word
    ("B0052", "2025-03-14", "NORTH MARKETPLACE", "-32.55"),  # a merchant that ends within a word
    ("B0053", "2025-03-14", "ACMETM DEPOT", "-33.65"),  # its merchant's ™ becomes TM before case folding
    ("B0054", "2025-03-15", " CORNER SHOP  ", "-34.75"),  # written as it is read
    ("B0055", "2025-12-31", "Harbor Hardware", "-137.70"),  # one day over a year's end
    ("B0056", "2025-05-12", "Harbor Hardware", "-138.80"),  # receipt of the same day a year before
    ("B0057", "2025-06-21", "OWN ACCOUNT BROKERAGE", "-60.00"),  # a transfer by its category alone
    ("B0058", "2025-03-15", "ROCK ´N ROLL DINER", "-35.85"),  # NFKC makes ´ a blank and an accent
    ("B0059", "2025-03-15", "CORNER CAFE", "-36.95"),  # accents stay, also at the end
]

RECEIPTS: list[Receipt] = [
    ("R9999", "Cash Stall", "2025-05-20", "12.34", "USD"),
    ("R0101", "Café Lumière", "2025-01-10", "18.40", "USD"),
    ("R0202", "North Market", "2025-01-11", "19.99", "USD"),
    ("R0203", "North Market", "2025-01-10", "19.99", "USD"),
    ("R0204", "North Market", "2025-01-15", "12.00", "USD"),
    ("R0106", "Acme, Inc.", "2025-02-02", "42.15", "USD"),
    ("R0107", "Quick Fuel", "2025-02-03", "43.20", "USD"),
    ("R0108", "Quick Fuel", "2025-02-28", "44.30", "USD"),
    ("R0109", "Quick Fuel", "2025-02-27", "45.40", "USD"),
    ("R0110", "Quick Fuel", "2025-03-06", "46.50", "USD"),
    ("R0111", "Fresh Mart", "2025-03-07", "61.20", "USN"),
    ("R0112", "Fresh Mart", "2025-03-08", "75.11", "USD"),
    ("R0113", "Harbor Hardware", "2025-03-09", "83.25", "USD"),
    ("R0114", "Acme, Inc.", "2025-03-10", "84.35", "USD"),
    ("R0115", "Green Grocer, Riverside Mall", "2025-03-11", "21.35", "USD"),
    ("R0116", "North Market 42", "2025-03-11", "22.45", "USD"),
    ("R0117", "Metro Transit 8", "2025-03-12", "23.55", "USD"),
    ("R0118", "  Cloud Books ", "2025-03-12", "24.65", "USD"),
    ("R0120", "Straßenfest", "2025-03-12", "26.85", "USD"),
    ("R0121", "İstanbul Grill", "2025-03-12", "27.95", "USD"),
    ("R0122", "Café Lumière", "2025-03-12", "28.15", "USD"),
    ("R0127", "Harbor Hardware", "2025-04-11", "131.10", "USD"),
    ("R0126", "Harbor Hardware", "2025-04-10", "131.10", "USD"),
    ("R0125", "Harbor Hardware", "2025-04-12", "131.10", "USD"),
    ("R0128", "Harbor Hardware", "2025-04-09", "131.10", "USD"),
    ("R9998", "Harbor Hardware", "2025-04-14", "132.20", "USD"),
    ("R10000", "Harbor Hardware", "2025-04-16", "132.20", "USD"),
    ("R0129", "Harbor Hardware", "2025-04-19", "133.30", "USD"),
    ("R0130", "Harbor Hardware", "2025-04-22", "134.40", "USD"),
    ("R0131", "Harbor Hardware", "2025-04-20", "134.40", "USD"),
    ("R0132", "Harbor Hardware", "2025-05-04", "135.50", "USD"),
    ("R0133", "Harbor Hardware", "2025-05-02", "135.50", "USD"),
    ("R0134", "Acme, Inc.", "2025-05-05", "136.60", "USD"),
    ("R0135", "Roof Repair Kovac", "2025-05-08", "850.00", "USD"),
    ("R0149", "Escrow Notary", "2025-08-13", "80071992547409.20", "USD"),
    ("R0152", "North Market", "2025-03-14", "32.55", "USD"),
    ("R0153", "Acme™ Depot", "2025-03-14", "33.65", "USD"),
    ("R0155", "Harbor Hardware", "2026-01-01", "137.70", "USD"),
    ("R0156", "Harbor Hardware", "2024-05-12", "138.80", "USD"),
    ("R0158", "Rock´n Roll Diner", "2025-03-15", "35.85", "USD"),
    ("R0159", "Corner Café", "2025-03-15", "36.95", "USD"),
    ("r5", "  Cash Stall ", "2025-05-22", "12.36", "USD"),  # sorts after every capital
    ("R10001", 'Ｃａｓｈ　Ｓｔａｌｌ, "Old Town"', "2025-05-21", "12.35", "USD"),
]

SHOPS = [
    ("POS NORTH MARKET {:03}", "North Market"),
    ("FRESH MART {:03}", "Fresh Mart"),
    ("Café Lumière {:03}", "CAFÉ LUMIÈRE"),
    ("METRO TRANSIT TICKET {:03}", "Metro Transit"),
    ("CARD HARBOR HARDWARE {:03}", "Harbor Hardware"),
]
DEBITS = ["PARKING METER {:03}", "QUICK FUEL PUMP {:03}", "TOLL ROAD GATE {:03}", "Farmers Market {:03}"]
POSITIVE = ["SALARY BONUS {:03}", "FRESH MART RETURN {:03}", "INSURANCE PAYOUT {:03}"]

EDGE_BANK: list[BankRow] = [("E1", "2025-08-20", "Compatible Shop", "-10.00")]
EDGE_RECEIPTS: list[Receipt] = [
    ("A-EARLY", "Wrong Store", "2025-08-20", "10.00", "USD"),
    ("Z-COMPATIBLE", "Compatible Shop Downtown", "2025-08-20", "10.00", "USD"),
]


def write_initial(build: seeding.Build) -> None:
    """Write the three inputs; the edge has two receipts of one value and date, of which the later id fits."""
    edge = build.fixture == "edge"
    bank, receipts = (EDGE_BANK, EDGE_RECEIPTS) if edge else household(build)
    categories = [("compatible shop", "Supplies")] if edge else CATEGORIES
    inputs = build.out / "inputs"
    header = ["transaction_id", "posted_date", "description", "amount", "currency"]
    fixtures.write_csv(inputs / "bank.csv", header, ([*row, "USD"] for row in bank))
    names = ["receipt_id", "merchant", "paid_date", "total", "currency"]
    fixtures.write_json(inputs / "receipts.json", [dict(zip(names, one, strict=True)) for one in receipts])
    fixtures.write_csv(inputs / "categories.csv", ["pattern", "category"], categories)


def household(build: seeding.Build) -> tuple[list[BankRow], list[Receipt]]:
    """Anchors in their order, with filler rows and receipts strewn between them."""
    rng = build.rng
    rows = build.size(full=167, small=80) - len(BANK)
    with_receipt = build.size(full=110, small=54) - len(RECEIPTS)
    taken = {amount.lstrip("-") for _, _, _, amount in BANK} | {total for _, _, _, total, _ in RECEIPTS}
    drawn = (f"{cents / 100:.2f}" for cents in rng.sample(range(300, 30_000), rows + len(taken)))
    amounts = [amount for amount in drawn if amount not in taken]
    bank, receipts = list(BANK), list(RECEIPTS)
    for index in range(rows):
        posted = date(2025, 1, 3) + timedelta(days=rng.randrange(145))
        if index < with_receipt:
            description, merchant = rng.choice(SHOPS)
            paid = posted + timedelta(days=rng.randint(-2, 2))
            receipt = (f"R{2001 + index}", merchant, paid.isoformat(), amounts[index], "USD")
            receipts.insert(rng.randint(1, len(receipts)), receipt)
        else:
            description = rng.choice(DEBITS + POSITIVE)
        sign = "" if description in POSITIVE else "-"
        text = description.format(rng.randrange(1000))
        row = (f"B{101 + index:04}", posted.isoformat(), text, sign + amounts[index])
        bank.insert(rng.randint(1, len(bank)), row)
    return bank, receipts


if __name__ == "__main__":
    seeding.main(1, {"initial": write_initial})
