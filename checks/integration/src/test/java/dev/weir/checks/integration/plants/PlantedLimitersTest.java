package dev.weir.checks.integration.plants;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.checks.integration.plants.Outcome.Verdict;
import dev.weir.testkit.KafkaCluster;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Runs pipelines with planted limiters, which are drawn from seeds, and checks which limiter Weir reports. Parameters
 * of the long test: {@code -Dweir.plants=300}, {@code -Dweir.plants.seed=1}, {@code -Dweir.plants.burn=1} (the number
 * of processors that other processes use; drawn for each plant if absent) and {@code -Dweir.plants.kinds=CPU,WAIT}.
 */
class PlantedLimitersTest {

    private static final Logger LOG = System.getLogger(PlantedLimitersTest.class.getName());
    private static final double[] BURNS = {0, 0.5, 1, 1.5, 2};
    private static final double LEAST_RIGHT = 0.95;
    private static final double MOST_WRONG = 0.02;
    private static final String BEGIN = "<!-- written by PlantedLimitersTest -->";
    private static final String END = "<!-- end -->";
    private static final long BUILD_SEED = 1;
    private static final double LEAST_RIGHT_IN_THE_BUILD = 0.9;
    private static final double MOST_WRONG_IN_THE_BUILD = 0.1;
    private static final double LEAST_FASTER = 1.4;

    private static final List<PlantKind> IN_THE_BUILD = List.of(
            PlantKind.CPU,
            PlantKind.WAIT,
            PlantKind.BLOCKING_MAP,
            PlantKind.LOCK,
            PlantKind.BRANCH,
            PlantKind.GROUP,
            PlantKind.HOT_KEY,
            PlantKind.EVEN_KEYS,
            PlantKind.THROTTLE,
            PlantKind.DISPATCHER,
            PlantKind.SINK,
            PlantKind.BACKLOG);

    /** Other tests keep the machine busy, which must not cause a wrong answer. */
    @Test
    void aDozenPlantsInMemory_areNamed_orNotAnsweredForSure() throws Exception {
        Matrix matrix = new Matrix();
        for (PlantKind kind : IN_THE_BUILD) {
            matrix.add(new Trial(Plants.draw(kind, BUILD_SEED, null), BUILD_SEED, Moment.START, 0).run());
        }
        assertThat(matrix.share(Verdict.RIGHT)).as(matrix.failures()).isGreaterThanOrEqualTo(LEAST_RIGHT_IN_THE_BUILD);
        assertThat(matrix.share(Verdict.WRONG)).as(matrix.failures()).isLessThanOrEqualTo(MOST_WRONG_IN_THE_BUILD);
    }

    @Test
    @Tag("long")
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    void drawnPlants_areNamedByKindAndSubject() throws Exception {
        int plants = Integer.getInteger("weir.plants", 300);
        long first = Long.getLong("weir.plants.seed", 1);
        String burn = System.getProperty("weir.plants.burn");
        List<PlantKind> kinds = kinds();
        Matrix matrix = new Matrix();
        StringBuilder lines = new StringBuilder();
        List<String> failed = new ArrayList<>();
        try (Neighbours neighbours = new Neighbours();
                KafkaCluster cluster = cluster()) {
            Bed bed = new Bed(cluster);
            for (int i = 0; i < plants; i++) {
                long seed = first + i;
                Random random = Plants.random(seed, 0);
                Moment moment = Moment.draw(random);
                double drawn = BURNS[random.nextInt(BURNS.length)];
                double burnt = burn == null ? drawn : Double.parseDouble(burn);
                Plant plant = Plants.draw(kinds.get(i % kinds.size()), seed, bed);
                neighbours.take(burnt);
                try {
                    Outcome outcome = new Trial(plant, seed, moment, burnt).run();
                    matrix.add(outcome);
                    lines.append(outcome.line()).append('\n');
                } catch (RuntimeException e) { // One failure must not end a test of half an hour.
                    LOG.log(Level.ERROR, "seed " + seed + " of " + plant.kind, e);
                    failed.add("seed " + seed + " of " + plant.kind + ": " + e);
                }
                neighbours.take(0);
                Files.writeString(report("trials.txt"), lines);
            }
        }
        write(matrix);
        assertThat(failed).isEmpty();
        assertThat(matrix.share(Verdict.RIGHT)).as(matrix.scores()).isGreaterThanOrEqualTo(LEAST_RIGHT);
        assertThat(matrix.share(Verdict.WRONG)).as(matrix.scores()).isLessThanOrEqualTo(MOST_WRONG);
    }

    @Test
    @Tag("long")
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void eachKind_withoutItsLimiter_isFaster() throws Exception {
        List<String> slow = new ArrayList<>();
        try (KafkaCluster cluster = cluster()) {
            Bed bed = new Bed(cluster);
            for (PlantKind kind : kinds()) {
                try (Plant plant = Plants.draw(kind, Long.getLong("weir.plants.seed", 1), bed)) {
                    double planted = Trial.rate(plant, Tuning.NONE);
                    double without = Trial.rate(plant, Tuning.REMOVED);
                    String line = String.format(
                            Locale.ROOT, "%s: %.0f/s, without %.0f/s: %s", kind.text, planted, without, plant.shape);
                    LOG.log(Level.INFO, line);
                    if (without < planted * LEAST_FASTER) {
                        slow.add(line);
                    }
                }
            }
        }
        assertThat(slow).isEmpty();
    }

    private static List<PlantKind> kinds() {
        String named = System.getProperty("weir.plants.kinds", "");
        return named.isEmpty()
                ? List.of(PlantKind.values())
                : List.of(named.split(",")).stream().map(PlantKind::valueOf).toList();
    }

    private static KafkaCluster cluster() {
        return KafkaCluster.builder()
                .forked()
                .brokerConfig("group.initial.rebalance.delay.ms", "0")
                .start();
    }

    private static Path report(String name) throws IOException {
        Path folder = Path.of("target", "planted-limiters");
        Files.createDirectories(folder);
        return folder.resolve(name);
    }

    private static void write(Matrix matrix) throws IOException {
        String tables = matrix.scores() + "\n" + matrix.confusion();
        Files.writeString(report("matrix.md"), tables);
        Files.writeString(report("failures.txt"), matrix.failures());
        if (Boolean.getBoolean("weir.write")) {
            Path page = Path.of(System.getProperty("weir.root"), "docs", "benchmarks", "limiter.md");
            String text = Files.readString(page);
            int from = text.indexOf(BEGIN) + BEGIN.length();
            Files.writeString(
                    page, text.substring(0, from) + "\n\n" + tables + "\n" + text.substring(text.indexOf(END)));
        }
    }
}
