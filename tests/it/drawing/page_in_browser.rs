//! Tests the HTML page in a real browser, if one is installed.

use std::path::Path;

use serde_json::Value;

use crate::support::process::*;
use crate::support::programs::chromium;
use crate::support::{folder, run};

/// Returns the report of a script that uses the page.
fn report_of(browser: &Path, page: &str, script: &str, size: &str) -> Value {
    let folder = folder();
    let report = "document.body.innerHTML = '<pre id=report></pre>'; document.querySelector('#report').textContent = JSON.stringify(report);";
    let page = page.replace(
        "</body>",
        &format!("<script>(async () => {{ const report = {{}}; const key = (name, on = document.body) => on.dispatchEvent(new KeyboardEvent('keydown', {{key: name, bubbles: true, cancelable: true}})); {script} {report} }})();</script></body>"),
    );
    let path = crate::support::file(folder.path(), "page.html", page);
    let output = command_of(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"])
        .args(["--virtual-time-budget=5000", "--dump-dom", &format!("--window-size={size}")])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg(format!("file://{}", path.display()))
        .finished();
    let text = String::from_utf8_lossy(&output.stdout);
    let json = text.split("<pre id=\"report\">").nth(1).and_then(|rest| rest.split("</pre>").next());
    let json = json.unwrap_or_else(|| panic!("no report:\n{text}\n{}", String::from_utf8_lossy(&output.stderr)));
    serde_json::from_str(&json.replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&")).expect("JSON")
}

#[test]
#[ignore = "needs a browser"]
fn the_page_works_in_a_browser() {
    let Some(browser) = chromium() else { return };
    let page = run(["instances/deponia.lp", "-f", "html"]).out;
    let report = report_of(
        &browser,
        &page,
        r##"
        const rows = () => [...document.querySelectorAll("tbody tr")];
        const caption = () => document.querySelector("#caption").textContent;
        report.rows = rows().length;
        rows()[0].click();
        report.first = caption();
        key("ArrowRight"); key("ArrowRight");
        // The trolley also rides along bent arcs.
        const ride = [...document.querySelectorAll(".mover")].pop().getAnimations().find((animation) => animation.effect.getKeyframes().length > 20);
        report.rides = Boolean(ride);
        report.third = caption();
        key("End");
        report.end = caption();
        const mover = [...document.querySelectorAll(".mover")].pop();
        report.place = mover.style.transform;
        key("Home");
        report.isElsewhere = mover.style.transform !== report.place;
        key("ArrowDown", rows()[0]);
        report.second = caption();
        report.selected = rows().filter((row) => row.getAttribute("aria-selected") === "true").length;
        const filter = document.querySelector("#filter");
        filter.value = "win"; filter.dispatchEvent(new Event("input"));
        report.wins = rows().length;
        report.count = document.querySelector("#count").textContent;
        filter.value = ""; filter.dispatchEvent(new Event("input"));
        const select = document.querySelector("#filters select");
        select.value = "loss"; select.dispatchEvent(new Event("input"));
        report.losses = rows().length;
        select.value = ""; select.dispatchEvent(new Event("input"));
        const heads = [...document.querySelectorAll("th button")];
        heads[2].click();
        report.shortest = rows()[0].children[2].textContent;
        heads[2].click();
        report.longest = rows()[0].children[2].textContent;
        report.sorted = heads[2].parentElement.getAttribute("aria-sort");
        report.hash = location.hash;
        document.querySelector("#play").click();
        await new Promise((done) => setTimeout(done, 1700));
        report.played = caption();
        report.wide = document.documentElement.scrollWidth <= innerWidth;
        "##,
        "1300,900",
    );
    assert_eq!((&report["rows"], &report["wins"], &report["losses"]), (&72.into(), &4.into(), &68.into()), "{report}");
    assert_eq!(report["first"], "node 1 of 18: a, levers 112");
    assert_eq!(report["rides"], true);
    assert_eq!(report["third"], "node 3 of 18: q, levers 112");
    assert_eq!(report["end"], "node 18 of 18: t, levers 111, win");
    assert_eq!((&report["isElsewhere"], &report["selected"]), (&true.into(), &1.into()));
    assert_eq!(report["second"], "node 1 of 10: a, levers 211");
    assert_eq!(report["count"], "4 of 72 configurations");
    assert_eq!(
        (&report["shortest"], &report["longest"], &report["sorted"]),
        (&"5".into(), &"18".into(), &"descending".into())
    );
    assert_eq!(report["hash"], "#row=1&step=0");
    assert_eq!(report["played"], "node 4 of 10: g, levers 211");
    assert_eq!(report["wide"], true);

    // On a phone, nothing is wider than the screen and buttons are large enough for a thumb.
    for instance in
        ["instances/deponia.lp", "instances/minesweeper.txt", "instances/taquin_one.txt", "instances/amphipod.txt"]
    {
        let page = run([instance, "-f", "html"]).out;
        let report = report_of(
            &browser,
            &page,
            r##"
            report.fits = document.documentElement.scrollWidth <= innerWidth;
            const box = (id) => document.querySelector(id).getBoundingClientRect();
            report.picture = box("#picture").height;
            const letters = () => [...document.querySelectorAll("#picture text")].map((text) => text.getAttribute("font-size") * box("#picture").width / document.querySelector("#picture").viewBox.baseVal.width);
            report.smallest = Math.min(...letters());
            report.isWhole = box("#picture").width <= box("#view").width && box("#picture").height <= box("#view").height;
            report.view = box("#view").width <= innerWidth && box("#view").height <= innerHeight;
            document.querySelector("#larger").click();
            key("+");
            report.larger = Math.min(...letters()) / report.smallest;
            key("0");
            report.whole = box("#picture").width <= box("#view").width && box("#picture").height <= box("#view").height;
            const rows = [...document.querySelectorAll("tbody tr")];
            rows[rows.length - 1].scrollIntoView();
            rows[rows.length - 1].click();
            report.isSeen = box("#stage").top >= 0 && box("#stage").top < innerHeight / 2;
            report.marks = document.querySelectorAll("#picture .mark").length;
            report.buttons = [...document.querySelectorAll("#player:not([hidden]) button")].every((button) => button.getBoundingClientRect().height >= 36);
            "##,
            "500,800",
        );
        assert_eq!((&report["fits"], &report["buttons"]), (&true.into(), &true.into()), "{instance}: {report}");
        // The first view is the whole picture, and two steps of the zoom make its letters readable.
        let larger = report["larger"].as_f64().expect("a number");
        let letters = report["smallest"].as_f64().expect("a number") * larger;
        assert!(letters > 8.9 && larger > 1.3, "{instance}: {report}");
        for expected in ["view", "isWhole", "whole", "isSeen"] {
            assert_eq!(report[expected], true, "{instance}: {expected} {report}");
        }
        assert!(report["picture"].as_f64() > Some(20.0) && report["marks"].as_u64() > Some(4), "{instance}: {report}");
    }
}
