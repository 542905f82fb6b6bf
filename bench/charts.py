# SPDX-License-Identifier: BSD-2-Clause
"""Writes pictures of several charts of pygal's."""
from xml.etree import ElementTree

SVG = "http://www.w3.org/2000/svg"


def draw_below(path, charts):
    """Draws the charts in one picture, one below the other."""
    width, height = charts[0].config.width, charts[0].config.height
    ElementTree.register_namespace("", SVG)
    picture = ElementTree.Element(
        "{%s}svg" % SVG, viewBox="0 0 %d %d" % (width, height * len(charts))
    )
    for number, chart in enumerate(charts):
        drawn = ElementTree.fromstring(chart.render())
        drawn.attrib.update(y=str(number * height), width=str(width), height=str(height))
        picture.append(drawn)
    ElementTree.ElementTree(picture).write(path, "utf-8", xml_declaration=True)
