package dev.weir.bench.result;

import dev.weir.command.terminal.Secrets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The plan of a comparison: everything about a campaign that is known before its first run. Immutable, thread-safe.
 * Contains no secrets, see {@link Secrets}.
 *
 * @param id unique ID of the campaign, for example {@code plain-consumer-20261121T021051}
 * @param name human-readable name, for example the scenario's name
 * @param workload the content of the workload file
 * @param baseline the driver that all others are compared with; ratios are divided by its figures
 * @param control a second driver that is identical to the baseline (A/A), so that any difference between the two is
 *     noise; null if there is none
 * @param rounds the number of runs of each driver at each point; a round consists of one run of each driver
 * @param seed the seed for the order of the runs and for the random data
 */
public record Campaign(
        String id,
        String name,
        String workload,
        String baseline,
        @Nullable String control,
        int rounds,
        long seed,
        List<Driver> drivers,
        List<Point> points,
        Environment environment) {

    /** Key in {@link Environment}: the rule used to select which points to run. */
    public static final String DESIGN = "design";

    /** Key in {@link Environment}, present if the campaign was simulated and nothing was measured. */
    public static final String SIMULATED = "simulation";

    /** Key in {@link Environment}, present if the campaign searched for the highest rate of each driver. */
    public static final String EXPLORED = "explored";

    /** Key in {@link Environment}: the ID of the cluster, if the campaign used an existing one. */
    public static final String CLUSTER_ID = "cluster.id";

    /** Key in {@link Environment}: the places where the processes run, if they do not all run on this machine. */
    public static final String WORKERS = "environment.workers";

    public Campaign {
        drivers = List.copyOf(drivers);
        points = List.copyOf(points);
        workload = Secrets.redact(workload);
        Set<String> names = new HashSet<>();
        for (Driver driver : drivers) {
            if (!names.add(driver.name())) {
                throw new IllegalArgumentException("two drivers have one name: drivers=" + driver.name());
            }
        }
        requireDriver(names, "baseline", baseline);
        if (control != null) {
            requireDriver(names, "control", control);
        }
        if (rounds < 1) {
            throw new IllegalArgumentException("rounds must be at least 1: rounds=" + rounds);
        }
        Set<String> pointIds = new HashSet<>();
        for (Point point : points) {
            if (!pointIds.add(point.id())) {
                throw new IllegalArgumentException("two points have one id: points=" + point.id());
            }
        }
    }

    /** Returns whether the figures come from a simulation instead of measurements. */
    public boolean isOfModel() {
        return environment.settings().containsKey(SIMULATED);
    }

    /** Returns a copy of this campaign that searches for the highest rate of each driver. */
    public Campaign asExplored() {
        Map<String, String> settings = new TreeMap<>(environment.settings());
        settings.put(EXPLORED, "the highest rate of each driver");
        return new Campaign(
                id, name, workload, baseline, control, rounds, seed, drivers, points, environment.with(settings));
    }

    /** Returns the command that ran the campaign: {@code explore}, {@code run} or {@code compare}. */
    public String command() {
        if (environment.settings().containsKey(EXPLORED)) {
            return "explore";
        }
        return rounds == 1 && control == null ? "run" : "compare";
    }

    /** Returns the value of {@link #CLUSTER_ID} or {@link #WORKERS}; empty if the environment has none. */
    public String place(String key) {
        return environment.settings().getOrDefault(key, "");
    }

    /** Returns whether the campaign uses the adaptive design. */
    public boolean choosesPoints() {
        return "adaptive".equals(environment.settings().get(DESIGN));
    }

    private static void requireDriver(Set<String> names, String option, String name) {
        if (!names.contains(name)) {
            throw new IllegalArgumentException(
                    option + " is none of the drivers: " + option + "=" + name + " of " + names);
        }
    }
}
