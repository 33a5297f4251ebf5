"""Passages out of rows as they are: the best places, with the headings above them."""

from __future__ import annotations

import pytest

from ..site import make_database, make_datasette, reply_of

FILLER = "The shop is open all week and everybody is welcome to come in. "


async def sources_of(tmp_path, texts, question):
    database = make_database(
        tmp_path / "site.db",
        "create table page (id integer primary key, title text, body text);",
        "create virtual table page_fts using fts5(title, body, tokenize='porter', content='page');",
        rows=[
            (
                "insert into page values (?, ?, ?)",
                [(number, f"Page {number}", text) for number, text in enumerate(texts, 1)],
            )
        ],
    )
    make_database(database, "insert into page_fts (page_fts) values ('rebuild');")
    datasette = await make_datasette([database])
    return (await reply_of(datasette, question)).sources


def markdown_page(sections):
    parts = ["# Guide\n\n"]
    for number in range(sections):
        parts.append(
            f"## Part {number}\n\n{FILLER * 12}\n\n### Detail {number}\n\n{FILLER * 12}\n\n"
        )
    return "".join(parts)


def html_page(sections):
    parts = ["<h1>Guide</h1><script>var hidden = 'kingfisher';</script>"]
    for number in range(sections):
        parts.append(f"<h2>Part {number}</h2><p>{FILLER * 12}</p>")
        parts.append(f"<h3>Detail {number}</h3><p>{FILLER * 12}</p>")
    return "".join(parts)


@pytest.mark.asyncio
@pytest.mark.parametrize("sections", [2, 8, 30, 300])
@pytest.mark.parametrize("page", [markdown_page, html_page])
async def test_the_headings_above_are_carried_along(tmp_path, page, sections):
    number = sections - 1
    text = page(sections).replace(f"Part {number}", "Birds", 1)
    place = text.rindex("The shop", 0, text.index(f"Detail {number}"))
    text = text[:place] + "Kingfishers nest by the harbour. " + text[place:]
    [source] = await sources_of(tmp_path, [text], "kingfisher harbour")
    assert "Kingfishers nest by the harbour." in source.passage
    assert source.heading == "Guide > Birds"
    assert "<" not in source.passage and len(source.passage) <= 2_000


@pytest.mark.asyncio
async def test_a_short_row_is_cut_as_a_document_is(tmp_path):
    fees = "Fees:\n\n| Plan | Fee |\n|---|---|\n" + "\n".join(
        f"| Number {number} | {number * 3} |" for number in range(200)
    )
    source = (await sources_of(tmp_path, [f"# All\n\n{fees}"], "fee of plan number 178"))[0]
    assert source.passage.startswith("Fees:\n\n| Plan | Fee |\n|---|---|\n")
    assert "| Number 178 | 534 |" in source.passage


@pytest.mark.asyncio
async def test_good_neighbours_are_one_passage(tmp_path):
    first = "Storks nest on the roof of the old mill. " * 10
    second = "The mill has storks on its roof in spring, and they nest. " * 8
    rest = FILLER * 14
    text = f"{rest}\n\n{first}\n\n{second}\n\n{rest}"
    source = (await sources_of(tmp_path, [text], "storks nest roof mill"))[0]
    assert source.passage == f"{first}\n\n{second.strip()}"


@pytest.mark.asyncio
async def test_neighbours_of_another_section_stay_apart(tmp_path):
    text = f"# Storks\n\n{'Storks nest on the roof. ' * 10}\n\n# Herons\n\n{'No storks nest on a roof here. ' * 10}"
    sources = await sources_of(tmp_path, [text], "storks nest roof")
    assert {source.heading for source in sources} <= {"Storks", "Herons"}
    assert all(
        ("# Storks" in source.passage) != ("# Herons" in source.passage) for source in sources
    )


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [1_000, 50_000, 1_000_000])
async def test_the_place_is_found_in_a_row_of_any_length(tmp_path, size):
    filler = FILLER * (size // len(FILLER) // 2)
    text = f"{filler}\n\nKingfishers nest by the harbour.\r\n\r\n{filler}\0kingfisher"
    source = (await sources_of(tmp_path, [text], "Where does the kingfisher nest?"))[0]
    assert "Kingfishers nest by the harbour." in source.passage
    assert "\0" not in source.passage and "\r" not in source.passage


@pytest.mark.asyncio
async def test_many_long_rows_share_what_is_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr("datasette_rag.retrieval.weighing.MOST_CHARS", 400_000)
    filler = FILLER * 5_000
    texts = [f"{filler}\n\nKingfishers nest here: {number}.\n\n{filler}" for number in range(4)]
    sources = await sources_of(tmp_path, ["kingfisher " * 20 + texts[0], *texts[1:]], "kingfisher")
    assert len(sources) >= 4
    assert all(len(source.passage) <= 2_000 for source in sources)
    assert "ingfisher" in sources[0].passage
