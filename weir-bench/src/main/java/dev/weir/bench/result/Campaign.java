package dev.weir.bench.result;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The plan of a comparison: everything about a campaign that is known before its first run. Immutable, thread-safe;
 * holds no secret, see {@link Secrets}.
 *
 * @param id names the campaign and nothing else, e.g. {@code plain-consumer-20261121T021051}
 * @param name for people, e.g. the scenario's name
 * @param workload the workload file as it was read
 * @param baseline the driver that the others are divided by
 * @param control a driver that is the baseline a second time (A/A): what differs between the two is noise;
 *     null without one
 * @param rounds how often each driver runs at each point; one run of each driver makes a round
 * @param seed orders the runs and draws the data
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

    /** Key in {@link Environment}: which points are run. */
    public static final String DESIGN = "design";

    /** Key in {@link Environment}: nothing was measured. */
    public static final String SIMULATED = "simulation";

    /** Key in {@link Environment}: the ID of an existing cluster. */
    public static final String CLUSTER_ID = "cluster.id";

    /** Key in {@link Environment}: the places of processes, if not on one machine. */
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

    /** Returns whether its figures come from a simulation. */
    public boolean isOfModel() {
        return environment.settings().containsKey(SIMULATED);
    }

    /** Returns whether it runs only the points that show where a verdict changes. */
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
