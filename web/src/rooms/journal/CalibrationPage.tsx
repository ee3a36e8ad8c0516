import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Scale } from "lucide-react";

import { calibrationQuery } from "@/api/journal";
import type { Calibration, CalibrationReport } from "@/api/schema";
import { Card } from "@/components/Card";
import { Empty, WhenReady } from "@/components/States";
import { count, percent, plural } from "@/lib/words";

import { CalibrationPlot } from "./CalibrationPlot";
import { inWords } from "./calibration";
import { JournalLayout } from "./JournalLayout";
import { DOMAINS } from "./words";

export function CalibrationPage() {
  const report = useQuery(calibrationQuery);
  return (
    <JournalLayout title="Calibration" lead="How well confidence predicted outcomes">
      <WhenReady query={report}>
        {({ overall, domains }) => (overall ? <Report overall={overall} domains={domains} /> : <Nothing />)}
      </WhenReady>
    </JournalLayout>
  );
}

function Nothing() {
  return (
    <Empty title="No prediction was made with a confidence yet." icon={<Scale className="size-6" />}>
      Say how sure you are when you{" "}
      <Link to="/journal" className="text-accent underline">
        write down a prediction
      </Link>
      ; once some are resolved, this page shows how well you judge yourself.
    </Empty>
  );
}

function Report({ overall, domains }: { overall: Calibration; domains: CalibrationReport["domains"] }) {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Card title="Confidence and outcome" note={plural(overall.count, "prediction")}>
        <CalibrationPlot curve={overall.curve} />
        <p className="mt-2 text-sm">{inWords(overall.curve)}</p>
      </Card>
      <Card title="In numbers">
        <table className="w-full text-sm">
          <caption className="sr-only">How often predictions came true, by how sure somebody was</caption>
          <thead className="text-left text-muted">
            <tr>
              <th className="py-1 font-medium">Confidence</th>
              <th className="py-1 font-medium">Came true</th>
              <th className="py-1 text-right font-medium">Predictions</th>
            </tr>
          </thead>
          <tbody>
            {overall.curve.map((bin) => (
              <tr key={bin.from_confidence} className="border-t">
                <td className="py-1">
                  {percent(bin.from_confidence)} – {percent(bin.to_confidence)}
                </td>
                <td className="py-1">{percent(bin.confirmed)}</td>
                <td className="py-1 text-right tabular-nums">{count(bin.count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Card>
      <Card
        title="By kind of work"
        note="Brier score: 0 is perfect, 0.25 is what a coin gets"
        className="lg:col-span-2"
      >
        <ul className="grid gap-x-8 sm:grid-cols-2 lg:grid-cols-3">
          {[overall, ...domains].map(({ domain, brier_score: score, count: predictions }) => (
            <li
              key={domain ?? "all"}
              className="flex items-baseline justify-between gap-3 border-b py-1.5 text-sm"
            >
              <span>{domain ? DOMAINS[domain] : "All of it"}</span>
              <span className="text-muted">
                {score.toFixed(3)} in {count(predictions)}
              </span>
            </li>
          ))}
        </ul>
      </Card>
    </div>
  );
}
