package dev.weir.bench.workload;

import dev.weir.bench.live.Order;
import dev.weir.bench.live.TimelineEntry;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A campaign as described by a workload file. Immutable.
 *
 * @param text the content of the file; if the file was read with its quick section or without its timeline, a comment
 *     that says so is appended
 * @param control whether the baseline runs a second time, under another name
 * @param timeline the changes planned for each run
 * @param design the rule used to select the points to run
 * @param sizes the number of values of each dimension; if the design is adaptive, {@link #points} contains the whole
 *     grid
 */
public record Workload(
        String name,
        String about,
        String text,
        List<String> drivers,
        String baseline,
        boolean control,
        int rounds,
        List<WorkloadPoint> points,
        List<TimelineEntry> timeline,
        Design design,
        List<Integer> sizes) {

    private static final int MOST_POINTS = 10_000;

    private static final String QUICK_MARK = "# read with --quick";

    private static final String TYPED_MARK = "# read with --no-timeline";

    /**
     * Reads a file.
     *
     * @param quick whether the file's {@code quick} section applies
     * @throws WorkloadException if the file is invalid
     */
    public static Workload read(Path file, boolean quick) {
        try {
            return parse(file.toString(), Files.readString(file), quick);
        } catch (IOException e) {
            throw new WorkloadException("cannot read " + file + ": " + reason(file, e));
        }
    }

    private static String reason(Path file, IOException e) {
        if (!Files.exists(file)) {
            return "no such file; those that come with Weir are in workloads/";
        }
        if (Files.isDirectory(file)) {
            return "it is a folder";
        }
        return e instanceof CharacterCodingException ? "it is not UTF-8 text" : e.toString();
    }

    /** Restores a workload from a campaign's {@link #text}. */
    public static Workload ofText(String text) {
        return parse("the campaign's workload", text, text.endsWith(QUICK_MARK + "\n"));
    }

    /** Returns a copy of this workload with the given number of rounds, and with or without a control. */
    public Workload withRounds(int newRounds, boolean newControl) {
        return new Workload(
                name, about, text, drivers, baseline, newControl, newRounds, points, timeline, design, sizes);
    }

    /** Returns a copy of this workload without planned changes, so that runs can be changed interactively. */
    public Workload withoutTimeline() {
        String quick = isQuick() ? QUICK_MARK + "\n" : "";
        String file = text.substring(0, text.length() - quick.length());
        return new Workload(
                name,
                about,
                file.stripTrailing() + "\n" + TYPED_MARK + "\n" + quick,
                drivers,
                baseline,
                control,
                rounds,
                points,
                List.of(),
                design,
                sizes);
    }

    /** Returns a copy of this workload with only the given drivers, which must include the baseline. */
    public Workload withDrivers(List<String> some) {
        some.forEach(this::requireDriver);
        if (!some.contains(baseline)) {
            throw new WorkloadException("the baseline " + baseline + " must be among the drivers: " + some);
        }
        return new Workload(
                name, about, text, List.copyOf(some), baseline, control, rounds, points, timeline, design, sizes);
    }

    /**
     * Returns a copy of this workload for a single round without a control. It has only the given drivers, or all
     * drivers if {@code some} is empty. Its first driver becomes the baseline.
     *
     * @throws WorkloadException if the workload does not contain one of the drivers
     */
    public Workload alone(List<String> some) {
        List<String> wanted = some.isEmpty() ? drivers : List.copyOf(some);
        for (String driver : wanted) {
            requireDriver(driver);
        }
        return new Workload(name, about, text, wanted, wanted.get(0), false, 1, points, timeline, design, sizes);
    }

    private void requireDriver(String driver) {
        if (!drivers.contains(driver)) {
            throw new WorkloadException("the workload has no driver " + driver + Spelling.hint(driver, drivers));
        }
    }

    /** Returns the approximate duration of the campaign, limited by its maximum duration. */
    public Duration expected() {
        double seconds = 0;
        for (WorkloadPoint point : points) {
            seconds += point.expectedSeconds();
        }
        seconds *= (double) rounds * (drivers.size() + (control ? 1 : 0));
        return Duration.ofSeconds((long) Math.min(seconds, points.get(0).seconds("maxSeconds")));
    }

    /** Returns whether the file was read with its {@code quick} section. */
    public boolean isQuick() {
        return text.endsWith(QUICK_MARK + "\n");
    }

    /**
     * Parses the text of a workload file.
     *
     * @param name the name of the file in messages
     */
    public static Workload parse(String name, String yaml, boolean quick) {
        WorkloadFile file = WorkloadFile.parse(name, yaml);
        Map<String, String> base = new TreeMap<>();
        Key.ALL.values().stream()
                .filter(key -> key.fallback() != null)
                .forEach(key -> base.put(key.path(), String.valueOf(key.fallback())));
        apply(base, file.settings());
        if (quick) {
            apply(base, file.quick());
        }
        for (Key key : Key.ALL.values()) {
            if (!base.containsKey(key.path()) && !file.settings().containsKey(key.path())) {
                throw new WorkloadException(name + " lacks the key " + key.path() + ": " + key.about());
            }
        }
        List<Setting> drivers = quick && file.quick().containsKey("drivers")
                ? file.quick().getOrDefault("drivers", List.of())
                : file.settings().getOrDefault("drivers", List.of());
        boolean compares = file.settings().containsKey("baseline")
                || (quick && file.quick().containsKey("baseline"));
        if (!compares && drivers.stream().noneMatch(driver -> driver.text().equals(base.get("baseline")))) {
            base.put("baseline", drivers.get(0).text());
        }
        checkName(file);
        checkDrivers(file, drivers, base.getOrDefault("baseline", ""));
        List<Map<String, List<Setting>>> vary = quick ? withoutQuick(file) : file.vary();
        List<WorkloadPoint> points = points(name, base, vary);
        List<TimelineEntry> timeline = yaml.lines().anyMatch(TYPED_MARK::equals) ? List.of() : file.timeline(quick);
        if (!timeline.isEmpty() && !points.stream().allMatch(WorkloadPoint::takesOrders)) {
            throw new WorkloadException(
                    name + ": timeline needs runs that can be changed: set " + AcceptedOrders.NEEDED);
        }
        points.forEach(point -> checkTimeline(name, timeline, point));
        return new Workload(
                base.getOrDefault("name", ""),
                base.getOrDefault("about", ""),
                quick && !yaml.endsWith(QUICK_MARK + "\n") ? yaml.stripTrailing() + "\n" + QUICK_MARK + "\n" : yaml,
                drivers.stream().map(Setting::text).toList(),
                base.getOrDefault("baseline", ""),
                Boolean.parseBoolean(base.get("method.control")),
                Integer.parseInt(base.getOrDefault("method.rounds", "1")),
                points,
                timeline,
                Design.of(base.getOrDefault("design", "")),
                Arrays.stream(sizes(vary)).boxed().toList());
    }

    /** Refuses planned changes that a run does not support, or that come after its end. */
    private static void checkTimeline(String name, List<TimelineEntry> timeline, WorkloadPoint point) {
        double endMillis = 1e3 * (point.seconds("maxWarmUpSeconds") + point.seconds("measureSeconds"));
        for (TimelineEntry entry : timeline) {
            String at = name + ": timeline, at " + entry.fields().get("at") + ": ";
            if (entry.atMillis() >= endMillis) {
                throw new WorkloadException(at + "the run ends before, at " + endMillis / 1e3
                        + "s, unless method.measureSeconds is longer or an extend comes first");
            }
            try {
                AcceptedOrders.check(point, entry.order());
            } catch (IllegalArgumentException e) {
                throw new WorkloadException(at + e.getMessage());
            }
            if (entry.order() instanceof Order.Extend extend) {
                endMillis += extend.millis();
            } else if (entry.order() instanceof Order.End) {
                endMillis = entry.atMillis();
            }
        }
    }

    /** Creates the points. */
    private static List<WorkloadPoint> points(
            String name, Map<String, String> base, List<Map<String, List<Setting>>> vary) {
        try {
            return points(base, vary);
        } catch (WorkloadException e) {
            throw new WorkloadException(name + ": " + e.getMessage());
        }
    }

    /** Returns the dimensions, leaving out each dimension with a key that the quick section sets to a single value. */
    private static List<Map<String, List<Setting>>> withoutQuick(WorkloadFile file) {
        return file.vary().stream()
                .filter(dimension ->
                        Collections.disjoint(dimension.keySet(), file.quick().keySet()))
                .toList();
    }

    private static void apply(Map<String, String> base, Map<String, List<Setting>> settings) {
        settings.forEach((path, values) -> base.put(path, values.get(0).text()));
    }

    private static void checkName(WorkloadFile file) {
        for (Map<String, List<Setting>> section : List.of(file.settings(), file.quick())) {
            for (Setting name : section.getOrDefault("name", List.of())) {
                if (!name.text().matches("[A-Za-z0-9][A-Za-z0-9.-]{0,60}")) {
                    throw file.refuse(
                            name, "name must be letters, digits, dots and hyphens, at most 61: name=" + name.text());
                }
            }
        }
    }

    private static void checkDrivers(WorkloadFile file, List<Setting> drivers, String baseline) {
        List<String> names = new ArrayList<>();
        for (Setting driver : drivers) {
            if (names.contains(driver.text())) {
                throw file.refuse(driver, "driver " + driver.text() + " is there twice");
            }
            names.add(driver.text());
        }
        if (!names.contains(baseline)) {
            throw file.refuse(
                    drivers.get(0), "the baseline " + baseline + " is none of the drivers: add it, or name another");
        }
    }

    private static List<WorkloadPoint> points(Map<String, String> base, List<Map<String, List<Setting>>> vary) {
        int[] sizes = sizes(vary);
        if (Arrays.stream(sizes).asLongStream().reduce(1, (a, b) -> Math.min(MOST_POINTS + 1, a * b)) > MOST_POINTS) {
            throw new WorkloadException("vary makes more than " + MOST_POINTS + " points: give it fewer values");
        }
        List<Map<String, String>> points = new ArrayList<>();
        for (int[] place : Design.of(base.getOrDefault("design", "")).points(sizes)) {
            Map<String, String> point = new LinkedHashMap<>();
            for (int dimension = 0; dimension < place.length; dimension++) {
                int value = place[dimension];
                vary.get(dimension)
                        .forEach((path, values) ->
                                point.put(path, values.get(value).text()));
            }
            points.add(point);
        }
        List<WorkloadPoint> result = new ArrayList<>();
        for (Map<String, String> point : points) {
            Map<String, String> settings = new TreeMap<>(base);
            settings.putAll(point);
            result.add(WorkloadPoint.of(point, settings));
        }
        Set<String> ids = new HashSet<>();
        for (WorkloadPoint point : result) {
            if (!ids.add(point.id())) {
                throw new WorkloadException(
                        "two points of vary are one, " + point.id() + ": name each value of a dimension once");
            }
            if (point.id().length() > WorkloadPoint.MAX_ID) {
                throw new WorkloadException("the dimensions of vary make too long a file name, " + point.id()
                        + ": vary fewer keys together, or at most " + WorkloadPoint.MAX_ID + " characters of them");
            }
        }
        return result;
    }

    private static int[] sizes(List<Map<String, List<Setting>>> vary) {
        return vary.stream()
                .mapToInt(dimension -> dimension.values().iterator().next().size())
                .toArray();
    }
}
