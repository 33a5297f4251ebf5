"""Encodings: every text comes out as it was written, and what is no text is refused."""

from __future__ import annotations

import pytest

from datasette_rag.documents.encodings import decoded
from datasette_rag.documents.errors import UnreadableDocument

RUSSIAN = "Возврат возможен в течение тридцати дней. Сохраните чек и коробку, они нужны.\n" * 2


@pytest.mark.parametrize(
    "text, encoding",
    [
        ("# Größe\n", "utf-8"),
        ("# Größe\n", "utf-8-sig"),
        ("# Größe\n", "utf-16"),
        ("# Size\nof it", "utf-16-le"),
        ("# Size\nof it ", "utf-16-be"),
        ("# Größe\n", "utf-32"),
        ("# Größe “8”\n", "cp1252"),
        ("El año pasado la cigüeña comió jamón.", "latin-1"),
        ("Größe", "cp1252"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8-r"),
        ("Η επιστροφή είναι δυνατή εντός τριάντα ημερών.", "cp1253"),
        ("ניתן להחזיר מוצרים תוך שלושים יום. אנא שמרו את הקבלה.", "cp1255"),
        ("返品は三十日以内にお願いします。レシートと箱を保管してください。", "shift_jis"),
        ("返品は三十日以内にお願いします。レシートと箱を保管してください。", "euc_jp"),
        ("退货政策：三十天内可以退款。请保留收据和包装。", "gb18030"),
        ("退貨政策：三十天內可以退款。請保留收據和包裝。", "big5"),
        ("반품은 30일 이내에 가능합니다. 영수증을 보관해 주세요.", "euc_kr"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy.", "cp1250"),
        ("one stray \0 in a long text", "utf-8"),
        ("", "utf-8"),
    ],
)
def test_encodings_are_told(text, encoding):
    content = text.encode(encoding)
    if encoding in ("utf-16-le", "utf-16-be"):
        assert not content.startswith((b"\xff\xfe", b"\xfe\xff"))
    assert decoded(content) == text


def test_what_a_file_declares_counts_where_it_is_not_utf_8():
    assert decoded("ÅÄÖ är å".encode("mac-roman"), "macintosh") == "ÅÄÖ är å"
    assert decoded("Größe".encode(), "koi8-r") == "Größe"
    assert decoded("Größe".encode("cp1252"), "no-such-encoding") == "Größe"
    assert decoded("Größe".encode("cp1252"), "utf-8") == "Größe"


@pytest.mark.parametrize(
    "content",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"\xff\xfea",
        b"\0" * 100,
        b"PK\3\4\x14\0\0\0\x08\0\xe9\x81" * 20,
        b"caf\x81\xe9",
    ],
)
def test_what_is_no_text_is_unreadable(content):
    with pytest.raises(UnreadableDocument):
        decoded(content)
