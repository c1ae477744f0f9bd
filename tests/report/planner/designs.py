"""Addresses that stand for every scenario, and for every way that one takes."""

from urllib.parse import parse_qsl

from detectable.report.planner.chosen import Chosen, read_chosen

ADDRESSES = {
    "accuracy": "",
    "accuracy-glue": "t=glue&b=0.9&n=1725&e=0.015",
    "accuracy-lachenbruch": "t=lachenbruch&e=0.03",
    "accuracy-squad": "t=squad&e=0.03",
    "accuracy-unpaired": "t=unpaired&n=2000",
    "accuracy-equivalent": "w=equivalent&n=3000",
    "accuracy-non-inferior": "w=non-inferior&n=700&k=3",
    "accuracy-looks": "k=4&f=pocock&p=0.9&a=0.01&c=0.4",
    "bleu": "s=bleu&n=1500&e=1.2",
    "ratings": "s=ratings&k=5",
    "ratings-whole": "s=ratings&x=whole&n=90&e=5",
    "ratings-two-means": "s=ratings&t=two-means&u=70&sd=25",
    "ratings-rank-sum": "s=ratings&t=rank-sum&e=3&x=whole",
    "ratings-equivalent": "s=ratings&w=equivalent&m=2.5",
    "ratings-non-inferior": "s=ratings&t=two-means&w=non-inferior&k=2",
    "preference": "s=preference&i=0.2",
    "likert": "s=likert&r=3&n=50&e=0.4&sp=card-high",
    "likert-little": "s=likert&r=3&n=30",
    "likert-own": "s=likert&r=4&n=30&sp=own&t=card",
    "samples-normal": "s=samples",
    "samples": "s=samples&t=t&n=130&e=0.075",
    "rank-sum": "s=rank-sum&i=levels&l=5&t=observed-order&e=0.47",
    "rank-sum-fine": "s=rank-sum",
    "arena": "s=arena&g=all-pairs&d=1.3",
    "arena-direct": "s=arena&t=direct&e=10&n=9483",
}


def chosen(name: str) -> Chosen:
    """Return the design of an address, which must be understood in full."""
    reading = read_chosen(pairs(ADDRESSES[name]))
    assert not reading.remarks
    assert not reading.faults
    return reading.chosen


def pairs(address: str) -> list[tuple[str, str]]:
    return parse_qsl(address)
