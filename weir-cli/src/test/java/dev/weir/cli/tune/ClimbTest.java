package dev.weir.cli.tune;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ProducerSettings;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.stream.Pipeline;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A tuner that looks: what its three quiet runs told on 2026-11-27 had a step in it that made the pipeline slower, and
 * the last step's rate was what counted.
 */
class ClimbTest {
    private final Script script = new Script();
    private final List<Outcome> told = new ArrayList<>();
    private final List<String> closed = new ArrayList<>();

    @Test
    void stepThatIsSlowerInTurnsAsWell_isTakenBack_andTheNextIsMadeFromTheOneBefore() throws Exception {
        script.measures("first", 61_737).measures("first+threads", 54_652).measures("first+lean", 68_000);
        script.again("first", 61_000, 60_000, 62_000).again("first+threads", 55_000, 54_000, 80_000);
        script.levers("threads", "lean");

        climb();

        assertThat(verdicts()).containsExactly("first FIRST", "first+threads SLOWER taken back", "first+lean FASTER");
        assertThat(told.get(1).inTurns()).isTrue();
        assertThat(told.get(1).gain()).isEqualTo(55_000 / 61_000.0);
        assertThat(told.get(1).measured().recordsPerSecond()).isEqualTo(55_000);
        assertThat(told.get(2).comparedWith()).isEqualTo(1);
        assertThat(told.get(2).gain()).isEqualTo(68_000 / 61_737.0);
    }

    @Test
    void stepThatWasSlowerByChance_stays() throws Exception {
        script.measures("first", 47_864).measures("first+url", 45_526);
        script.again("first", 45_000, 44_000, 46_000).again("first+url", 50_000, 51_000, 52_000);
        script.levers("url");

        climb();

        assertThat(verdicts()).containsExactly("first FIRST", "first+url FASTER");
        assertThat(told.get(1).gain()).isEqualTo(51_000 / 45_000.0);
    }

    /** One after the other says less than in turns: 4 % may be the machine's. */
    @Test
    void smallGain_isMeasuredInTurns_andIsNoneIfItIsNotSeenThere() throws Exception {
        script.measures("first", 50_000).measures("first+lean", 52_000).measures("first+cheaper url", 51_000);
        script.again("first", 50_000, 50_000, 50_000, 50_000, 50_000, 50_000)
                .again("first+lean", 50_500, 50_500, 50_500)
                .again("first+cheaper url", 50_500, 50_500, 50_500);
        script.levers("lean", "cheaper url");

        climb();

        assertThat(verdicts()).containsExactly("first FIRST", "first+lean EQUAL taken back", "first+cheaper url EQUAL");
        // What is no quicker is no other ground for what failed: the lean path is not asked for a second time.
        assertThat(script.asked).containsExactly("first", "first+lean", "first+cheaper url");
    }

    /** A limiter that promises something forever. */
    @Test
    void climb_endsAfterTwelveSteps() throws Exception {
        List<String> levers = new ArrayList<>();
        StringBuilder version = new StringBuilder("first");
        script.measures("first", 1);
        for (int step = 2; step <= 20; step++) {
            levers.add("lever " + step);
            script.measures(version.append("+lever ").append(step).toString(), Math.pow(2, step));
        }
        script.levers(levers.toArray(String[]::new));

        climb();

        assertThat(told).hasSize(12);
        assertThat(closed).hasSize(12).doesNotHaveDuplicates();
    }

    @Test
    void clearGain_isNotMeasuredAgain() throws Exception {
        script.measures("first", 10_000).measures("first+lz", 40_000);
        script.levers("lz");

        climb();

        assertThat(verdicts()).containsExactly("first FIRST", "first+lz FASTER");
        assertThat(told.get(1).inTurns()).isFalse();
    }

    /** It may bring something there: threads are of more use once clients need fewer processors. */
    @Test
    void leverThatFailed_isTriedAgainAtABetterVersion() throws Exception {
        script.measures("first", 60_000)
                .measures("first+threads", 50_000)
                .measures("first+lean", 66_000)
                .measures("first+lean+threads", 72_000);
        script.again("first", 60_000, 60_000, 60_000).again("first+threads", 50_000, 50_000, 50_000);
        script.levers("threads", "lean");

        climb();

        assertThat(verdicts())
                .containsExactly(
                        "first FIRST",
                        "first+threads SLOWER taken back",
                        "first+lean FASTER",
                        "first+lean+threads FASTER");
        assertThat(told.getLast().comparedWith()).isEqualTo(3);
        assertThat(closed).containsExactly("first+threads", "first", "first+lean", "first+lean+threads");
    }

    @Test
    void stop_whileInTurns_tellsNothingOfThatStep() throws Exception {
        script.measures("first", 60_000).measures("first+threads", 50_000);
        script.levers("threads");

        climb();

        assertThat(verdicts()).containsExactly("first FIRST");
        assertThat(closed).containsExactly("first+threads", "first");
    }

    /** Outputs that are wrong end it: nobody asks how quick they were. */
    @Test
    void outputsThatAreWrong_areTold_andNothingRunsAfterThem() throws Exception {
        script.measures("first", 60_000).measures("first+threads", 50_000).measures("first+lean", 90_000);
        script.levers("threads", "lean");
        script.overAfter = "first+threads";

        climb();

        assertThat(told).hasSize(2);
        assertThat(told.getLast().inTurns()).isFalse();
    }

    private void climb() throws InterruptedException {
        Climb.from(new Scripted("first", ""), script, told::add);
    }

    private List<String> verdicts() {
        return told.stream()
                .map(each -> each.version().change() + " " + each.verdict() + (each.isTakenBack() ? " taken back" : ""))
                .toList();
    }

    /** Rates that are given; null, as after a stop, where none is left. */
    private static final class Script implements Climb.Runs {
        private final Map<String, Queue<Double>> measures = new HashMap<>();
        private final Map<String, Queue<Double>> again = new HashMap<>();
        private final List<String> asked = new ArrayList<>();
        private List<String> levers = List.of();
        private @Nullable String overAfter;
        private boolean over;

        Script measures(String version, double... rates) {
            return put(measures, version, rates);
        }

        Script again(String version, double... rates) {
            return put(again, version, rates);
        }

        void levers(String... inOrder) {
            levers = List.of(inOrder);
        }

        private Script put(Map<String, Queue<Double>> where, String version, double... rates) {
            Queue<Double> queue = new ArrayDeque<>();
            for (double rate : rates) {
                queue.add(rate);
            }
            where.put(version, queue);
            return this;
        }

        private @Nullable Double next(Map<String, Queue<Double>> from, Version version) {
            Queue<Double> rates = from.get(version.change());
            return rates == null ? null : rates.poll();
        }

        @Override
        public @Nullable Measurement measure(Version version, int step) {
            asked.add(version.change());
            Double rate = next(measures, version);
            over = over || version.change().equals(overAfter);
            return rate == null
                    ? null
                    : new Measurement(rate, Limiters.of(Kind.GC, "gc", 1), 1, 1, Map.of(), "counters", 0);
        }

        @Override
        public @Nullable Double again(Version version, int step) {
            return next(again, version);
        }

        @Override
        public double eventsOfAPass() {
            return 82_500;
        }

        @Override
        public boolean areOver() {
            return over;
        }
    }

    /** A version whose name is the levers that were turned. */
    private final class Scripted implements Version {
        private final String name;
        private final String lever;

        Scripted(String name, String lever) {
            this.name = name;
            this.lever = lever;
        }

        @Override
        public String change() {
            return name;
        }

        @Override
        public String lever() {
            return lever;
        }

        @Override
        public boolean staysWithoutGain() {
            return lever.startsWith("cheaper");
        }

        @Override
        public double expectedGain() {
            return 1.1;
        }

        @Override
        public Pipeline pipeline(
                ConsumerSettings.Builder<byte[], byte[]> consumer, ProducerSettings.Builder<byte[], byte[]> producer) {
            throw new UnsupportedOperationException("nothing runs here");
        }

        @Override
        public @Nullable Version next(Measurement measured, Set<String> failed) {
            return script.levers.stream()
                    .filter(each -> !failed.contains(each) && !name.contains("+" + each))
                    .findFirst()
                    .map(each -> new Scripted(name + "+" + each, each))
                    .orElse(null);
        }

        @Override
        public void close() {
            closed.add(name);
        }
    }
}
