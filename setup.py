"""How datasette-rag is installed."""

from pathlib import Path

from setuptools import find_packages, setup

setup(
    name="datasette-rag",
    version="0.1a0",
    description="Answers questions from the rows of your Datasette, with citations",
    long_description=Path(__file__).with_name("README.md").read_text("utf-8"),
    long_description_content_type="text/markdown",
    author="The datasette-rag authors",
    license="Apache-2.0",
    classifiers=[
        "Framework :: Datasette",
        "Operating System :: OS Independent",
        "Programming Language :: Python :: 3.10",
        "Programming Language :: Python :: 3.11",
        "Programming Language :: Python :: 3.12",
        "Programming Language :: Python :: 3.13",
    ],
    packages=find_packages(include=["datasette_rag", "datasette_rag.*"]),
    package_data={"datasette_rag": ["templates/*.html", "static/*", "py.typed"]},
    entry_points={"datasette": ["rag = datasette_rag"]},
    python_requires=">=3.10",
    install_requires=[
        # What this is a plugin for: 0.65 and the 1.0 alphas.
        "datasette>=0.65",
        # Reads values that come from the environment; a dependency of Datasette as well.
        "PyYAML",
        # Writes the rows of documents and the tables of the log; its commands mend indexes.
        "sqlite-utils>=4.0",
        # The client of the Claude API; imported when the first question needs it.
        "anthropic>=2.14",
        # Finds headings in documents and renders answers; the reference parser of CommonMark in Python.
        "markdown-it-py>=3.0",
        # Takes everything out of rendered answers that is not on a short list of tags.
        "nh3>=0.2.18",
        # Turns HTML in columns into text, fast enough to do it while a question waits.
        "selectolax>=0.3.21",
        # Tells the encoding of documents that are in none of Unicode's.
        "charset-normalizer>=3.5",
    ],
    extras_require={
        # Reads reStructuredText; the reference implementation.
        "rst": ["docutils>=0.22"],
        # Reads the text of PDF files; pure Python, without further dependencies.
        "pdf": ["pypdf>=5"],
        "test": [
            # Runs the tests.
            "pytest>=8",
            # Datasette's client is async.
            "pytest-asyncio>=0.24",
            # Arbitrary strings against match building, passage cutting and rendering.
            "hypothesis>=6.100",
            # The judges of the measures of search and of their statistics: trec_eval, and SciPy.
            "ir-measures>=0.4",
            "scipy>=1.15",
            # Lint and formatting.
            "ruff>=0.9",
            # Types.
            "mypy>=1.13",
            "types-PyYAML",
            "types-docutils",
            # What the extras need is tested too.
            "docutils>=0.22",
            "pypdf>=5",
        ],
    },
)
