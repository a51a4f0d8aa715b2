package dev.weir.checks.integration.plants;

import dev.weir.checks.integration.plants.Outcome.Verdict;
import dev.weir.metrics.Limiter.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The confusion matrix of many trials, as text for a page. Confined to one thread. */
final class Matrix {

    private final List<Outcome> outcomes = new ArrayList<>();
    private final List<Outcome> spoiled = new ArrayList<>();

    /** Adds the outcome of a trial. If the plant did not limit its pipeline, the trial is only counted. */
    void add(Outcome outcome) {
        (outcome.holds() ? outcomes : spoiled).add(outcome);
    }

    private static long count(List<Outcome> among, Predicate<Outcome> which) {
        return among.stream().filter(which).count();
    }

    double share(Verdict verdict) {
        return outcomes.isEmpty() ? 0 : (double) count(outcomes, each -> each.verdict() == verdict) / outcomes.size();
    }

    private static String percent(long part, long whole) {
        return whole == 0 ? "-" : String.format(Locale.ROOT, "%.1f %%", 100.0 * part / whole);
    }

    private static boolean failed(Outcome.@Nullable Gain gain) {
        return gain != null && !gain.came();
    }

    String scores() {
        StringBuilder text = new StringBuilder("""
                | trials | plants | right | vague | wrong, unsure | wrong | advice that came |
                |---|--:|--:|--:|--:|--:|--:|
                """);
        row(text, "all", each -> true);
        row(text, "nothing beside", each -> each.burnt() == 0);
        row(text, "others take processors", each -> each.burnt() > 0);
        for (Moment moment : Moment.values()) {
            row(text, moment.name().toLowerCase(Locale.ROOT), each -> each.moment() == moment);
        }
        return text + "\nPlants that did not hold, and are not counted: " + spoiled.size() + ".\n";
    }

    private void row(StringBuilder text, String name, Predicate<Outcome> which) {
        List<Outcome> among = outcomes.stream().filter(which).toList();
        text.append("| ").append(name).append(" | ").append(among.size());
        for (Verdict verdict : Verdict.values()) {
            text.append(" | ").append(percent(count(among, each -> each.verdict() == verdict), among.size()));
        }
        long followed = count(among, each -> each.gain() != null);
        long came = count(among, each -> came(each.gain()));
        text.append(" | ").append(came).append(" of ").append(followed).append(" |\n");
    }

    private static boolean came(Outcome.@Nullable Gain gain) {
        return gain != null && gain.came();
    }

    /** Returns one row for each planted kind, with its answers, the most frequent first. */
    String confusion() {
        Map<PlantKind, List<Outcome>> rows = new TreeMap<>();
        for (Outcome each : outcomes) {
            rows.computeIfAbsent(each.kind(), kind -> new ArrayList<>()).add(each);
        }
        StringBuilder text = new StringBuilder("| planted | right | answered |\n|---|--:|---|\n");
        rows.forEach((kind, among) -> text.append("| ")
                .append(kind.text)
                .append(" | ")
                .append(count(among, each -> each.verdict() == Verdict.RIGHT))
                .append(" of ")
                .append(among.size())
                .append(" | ")
                .append(answers(among))
                .append(" |\n"));
        return text.toString();
    }

    /** {@code window 10, source-fetch 1}. */
    private static String answers(List<Outcome> among) {
        Map<Kind, Long> counts = among.stream()
                .collect(Collectors.groupingBy(each -> each.answer().kind(), TreeMap::new, Collectors.counting()));
        return counts.entrySet().stream()
                .sorted(Map.Entry.<Kind, Long>comparingByValue().reversed())
                .map(each -> each.getKey().id() + " " + each.getValue())
                .collect(Collectors.joining(", "));
    }

    /** Returns all wrong answers, and all advice without the predicted gain. */
    String failures() {
        StringBuilder text = new StringBuilder();
        outcomes.stream()
                .filter(each -> each.verdict() != Verdict.RIGHT || failed(each.gain()))
                .sorted((one, other) -> one.kind().compareTo(other.kind()))
                .forEach(each -> text.append(each.line()).append("\n\n"));
        text.append("Did not hold:\n\n");
        spoiled.forEach(each -> text.append(each.line()).append("\n\n"));
        return text.toString();
    }
}
