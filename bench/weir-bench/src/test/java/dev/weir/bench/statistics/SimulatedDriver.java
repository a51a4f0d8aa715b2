package dev.weir.bench.statistics;

import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Driver;
import dev.weir.bench.result.Environment;
import dev.weir.bench.result.Ledger;
import dev.weir.bench.result.Point;
import dev.weir.bench.result.Run;
import dev.weir.bench.result.Totals;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Simulates drivers with known service times on a machine with known noise, so the right conclusions are known. Equal
 * seeds give equal runs. Confined to one thread.
 *
 * <p>The logarithm of a run's mean service time is the sum of three terms: the driver's own term, the machine's drift
 * (a random walk over all runs), and a random effect of the process (independent for each run).
 */
final class SimulatedDriver {

    enum Luck {
        NORMAL,
        /** Most runs are slightly faster than the mean; a few are much slower. */
        SKEWED,
        /** One run in twenty is disturbed and 30 % slower. */
        OUTLIERS
    }

    private final Random random;
    private final Luck luck;
    private final double driftPerRun;
    private final double luckDeviation;
    private double drift;

    SimulatedDriver(long seed, Luck luck, double driftPerRun, double luckDeviation) {
        this.random = new Random(seed);
        this.luck = luck;
        this.driftPerRun = driftPerRun;
        this.luckDeviation = luckDeviation;
    }

    /** Runs a campaign with a new random order of the drivers in each round. */
    List<Run> interleaved(Campaign campaign, Map<String, Double> serviceNanos) {
        List<Run> runs = new ArrayList<>();
        for (Point point : campaign.points()) {
            for (int round = 0; round < campaign.rounds(); round++) {
                List<Driver> order = new ArrayList<>(campaign.drivers());
                Collections.shuffle(order, random);
                for (Driver driver : order) {
                    runs.add(run(
                            point.id(),
                            driver.name(),
                            round,
                            runs.size(),
                            serviceNanos.getOrDefault(driver.name(), Double.NaN)));
                }
            }
        }
        return runs;
    }

    /** Runs a campaign in the wrong order: all runs of one driver before the runs of the next. */
    List<Run> oneAfterTheOther(Campaign campaign, Map<String, Double> serviceNanos) {
        List<Run> runs = new ArrayList<>();
        for (Point point : campaign.points()) {
            for (Driver driver : campaign.drivers()) {
                for (int round = 0; round < campaign.rounds(); round++) {
                    runs.add(run(
                            point.id(),
                            driver.name(),
                            round,
                            runs.size(),
                            serviceNanos.getOrDefault(driver.name(), Double.NaN)));
                }
            }
        }
        runs.sort(Comparator.comparingInt(Run::order));
        return runs;
    }

    private Run run(String point, String driver, int round, int order, double serviceNanos) {
        drift += random.nextGaussian() * driftPerRun;
        double mean = serviceNanos * Math.exp(drift + nextLuck());
        long records = 1_000_000;
        long elapsedNanos = Math.round(records * mean);
        Totals totals =
                new Totals(records, records * 100, elapsedNanos, elapsedNanos, 500 * records, 0, 0, 0, Map.of());
        Ledger ledger = new Ledger(records, records, 0, 0, 0);
        return new Run(point, driver, round, order, order, 0, 1, 0, List.of(), totals, ledger, Set.of(), null);
    }

    private double nextLuck() {
        return switch (luck) {
            case NORMAL -> random.nextGaussian() * luckDeviation;
            // Exponential distribution: skewness 2, with the requested deviation.
            case SKEWED -> (-Math.log1p(-random.nextDouble()) - 1) * luckDeviation;
            case OUTLIERS -> random.nextGaussian() * luckDeviation + (random.nextInt(20) == 0 ? Math.log(1.3) : 0);
        };
    }

    /** Returns a campaign with points p0, p1 and so on. The first driver is the baseline. */
    static Campaign campaign(int points, int rounds, @Nullable String control, String... drivers) {
        return new Campaign(
                "simulated",
                "simulated",
                "",
                drivers[0],
                control,
                rounds,
                1,
                List.of(drivers).stream().map(d -> new Driver(d, "1", Map.of())).toList(),
                IntStream.range(0, points)
                        .mapToObj(i -> new Point("p" + i, "simulated", Map.of("n", Integer.toString(i))))
                        .toList(),
                new Environment("", "", "", 2, 1, Map.of(), Map.of(), "", 0));
    }
}
