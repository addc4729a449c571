"""Text that declares no encoding is guessed by its letters."""

from __future__ import annotations

import pytest

from stook.web.extract.encoding.detection import detect

SAMPLES = [
    ("cp1251", "Библиотека на улице Мельничной считает посетителей с 1931 года, сначала турникетом."),
    ("koi8-r", "Библиотека на улице Мельничной считает посетителей с 1931 года, сначала турникетом."),
    ("cp932", "図書館は一九三一年から来館者を数えています。最初は回転式の入口でした。"),
    ("euc-jp", "図書館は一九三一年から来館者を数えています。最初は回転式の入口でした。"),
    ("gb18030", "图书馆从一九三一年开始统计读者人数，起初使用的是旋转门，后来改用光线。"),
    ("big5hkscs", "圖書館從一九三一年開始統計讀者人數，起初使用的是旋轉門，後來改用光線。"),
    ("cp949", "도서관은 천구백삼십일년부터 방문자의 수를 세어 왔습니다. 처음에는 회전문이었습니다."),
    ("cp1252", "La bibliothèque compte ses visiteurs depuis 1931, d’abord avec un tourniquet très élégant."),
    ("cp1253", "Η βιβλιοθήκη μετράει τους επισκέπτες της από το 1931, αρχικά με περιστροφική πόρτα."),
    ("cp1255", "הספרייה סופרת את המבקרים שלה מאז 1931, תחילה בעזרת שער מסתובב"),
    ("cp1256", "تحصي المكتبة زوارها منذ عام 1931، في البداية بباب دوار ثم بشعاع من الضوء"),
    ("cp874", "ห้องสมุดนับผู้เข้าชมมาตั้งแต่ปี พ.ศ. ๒๔๗๔ โดยใช้ประตูหมุนก่อน"),
    ("utf-8", "Die Bücherei zählt ihre Gäste – 図書館 – seit 1931."),
]


@pytest.mark.parametrize(("codec", "text"), SAMPLES, ids=[codec for codec, _ in SAMPLES])
def test_language_is_recognised(codec: str, text: str) -> None:
    """A sentence or two in a legacy encoding is enough."""
    assert detect(f"<p>{text}</p>".encode(codec)) == codec


def test_cut_character_at_the_end_of_the_sample() -> None:
    """A sample that ends inside a character is still UTF-8."""
    assert detect(b"x" + "ü".encode() * 40_000) == "utf-8"
    assert detect(b"plain ASCII") == "utf-8"


def test_noise_falls_back() -> None:
    """What is no text in any encoding is read as browsers read it."""
    assert detect(bytes(range(128, 256))) in ("cp1252", "cp1250", "cp1251", "koi8-r")
