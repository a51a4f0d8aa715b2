package dev.weir.bench.result;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.live.Order;
import dev.weir.bench.live.TimelineEntry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PhaseRunsTest {
    private static final Point POINT = new Point("6p", "work", Map.of("partitions", "6"));

    private static Interval second(int number, long records) {
        return new Interval(1_000L * number, 1_000, records, 10 * records, 5, 6, 0, 0, 7, 8, 9);
    }

    private static Phase phase(String by, double rate, Phase.@Nullable Result result) {
        return new Phase(2_000, 4_000, by, rate, 5, 2, 100, 100, 50, 1, 2, 0, result);
    }

    private static Phase.Result result(int from, int to, long records) {
        Totals totals = new Totals(records, 0, 2_000_000_000L, 5, 6, 0, -1, 9, Map.of("ceiling", 400.0));
        return new Phase.Result(from, to, totals, Set.of(Flag.COMPILING));
    }

    private static Run run(int round, Set<Flag> flags, Phase... phases) {
        List<Interval> intervals = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            intervals.add(second(i, 10 + i));
        }
        return new Run(
                "6p",
                "weir",
                round,
                round,
                1,
                1_000,
                9_000,
                1,
                intervals,
                Totals.NONE,
                Ledger.NONE,
                flags,
                null,
                List.of(new TimelineEntry(1, new Order.End(), 1, Map.of())),
                List.of(phases),
                List.of());
    }

    @Test
    void phase_isARunThatMayBeQuoted_withItsOwnSecondsAndTotals() {
        Run changed = run(0, Set.of(Flag.CHANGED), phase("start", 60, null), phase("set rate", 50, result(2, 4, 77)));

        Map<Point, List<Run>> phases = PhaseRuns.of(POINT, List.of(changed));

        assertThat(phases).hasSize(1);
        Point point = phases.keySet().iterator().next();
        assertThat(point.label()).isEqualTo("partitions=6 phase=2 (set rate) producerRate=50 workMillis=5 consumers=2");
        Run run = phases.values().iterator().next().getFirst();
        assertThat(run.isValid()).isTrue();
        assertThat(run.flags()).containsExactly(Flag.COMPILING);
        assertThat(run.totals().records()).isEqualTo(77);
        assertThat(run.intervals()).extracting(Interval::records).containsExactly(12L, 13L);
        assertThat(PhaseRuns.pointOfRun(run.point())).isEqualTo("6p");
        assertThat(PhaseRuns.origin(run.key())).isEqualTo(new PhaseRuns.Origin(changed.key(), 2));
        assertThat(PhaseRuns.origin(changed.key())).isNull();
    }

    @Test
    void phasesOfAReplay_areRoundsOfOnePoint_andOtherOrdersAreAtAnother() {
        Run first = run(0, Set.of(Flag.CHANGED), phase("a", 60, result(0, 2, 1)));
        Run again = run(1, Set.of(Flag.CHANGED), phase("a", 60, result(0, 2, 2)));
        Run other = run(2, Set.of(Flag.CHANGED), phase("b", 60, result(0, 2, 3)));

        Map<Point, List<Run>> phases = PhaseRuns.of(POINT, List.of(first, again, other));

        Map<String, List<Integer>> rounds = new LinkedHashMap<>();
        phases.forEach((point, runs) ->
                rounds.put(point.id(), runs.stream().map(Run::round).toList()));
        assertThat(rounds).isEqualTo(Map.of("6p.phase-1", List.of(0, 1), "6p.phase-1-b", List.of(2)));
        assertThat(PhaseRuns.origin(
                        phases.values().stream().toList().getLast().getFirst().key()))
                .isEqualTo(new PhaseRuns.Origin(other.key(), 1));
    }

    @Test
    void phasesOfManyOrders_haveAPointEach_fromWhichTheirRunIsFound() {
        List<Run> runs = new ArrayList<>();
        for (int i = 0; i < 800; i++) {
            runs.add(run(i, Set.of(Flag.CHANGED), phase("order " + i, 60, result(0, 2, i))));
        }

        Map<Point, List<Run>> phases = PhaseRuns.of(POINT, runs);

        List<String> ids = phases.keySet().stream().map(Point::id).toList();
        assertThat(ids)
                .hasSize(800)
                .doesNotHaveDuplicates()
                .startsWith("6p.phase-1", "6p.phase-1-b")
                .contains("6p.phase-1-z", "6p.phase-1-aa", "6p.phase-1-az", "6p.phase-1-ba", "6p.phase-1-zz")
                .contains("6p.phase-1-aaa")
                .allMatch(id -> PhaseRuns.pointOfRun(id).equals("6p"));
        assertThat(phases.values())
                .allSatisfy(each -> assertThat(PhaseRuns.origin(each.getFirst().key()))
                        .isEqualTo(new PhaseRuns.Origin(
                                new Run.Key("6p", "weir", each.getFirst().round()), 1)));
    }

    @Test
    void phaseOfARunThatLostRecords_isVoid() {
        Run broken = run(0, Set.of(Flag.CHANGED, Flag.GUARANTEE_BROKEN), phase("a", 60, result(0, 2, 1)));

        assertThat(PhaseRuns.of(POINT, List.of(broken))
                        .values()
                        .iterator()
                        .next()
                        .getFirst()
                        .isValid())
                .isFalse();
    }

    @Test
    void latencies_areOfTheRunOrOfThePhase() {
        Histogram ofRun = new Histogram(3);
        ofRun.setTag(LatencyTags.RESPONSE);
        Histogram ofPhase = new Histogram(3);
        ofPhase.setTag(LatencyTags.ofPhase(2, LatencyTags.responseOfPartition(4)));
        Histogram ofOther = new Histogram(3);
        ofOther.setTag(LatencyTags.ofPhase(12, LatencyTags.RESPONSE));
        List<Histogram> all = List.of(ofRun, ofPhase, ofOther);

        assertThat(LatencyTags.ofRun(all)).containsExactly(ofRun);
        assertThat(LatencyTags.ofPhase(2, all)).containsExactly(ofPhase);
        assertThat(ofPhase.getTag()).isEqualTo("response/4");
    }
}
