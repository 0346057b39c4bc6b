"""Normal forms, by which emails and phones are compared."""


def normalize_email(email):
    return email.lower().strip(" ")


def normalize_phone(phone):
    return "".join(character for character in phone if character.isdigit() or character == "+")
