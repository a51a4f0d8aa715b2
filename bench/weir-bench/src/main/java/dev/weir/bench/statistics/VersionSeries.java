package dev.weir.bench.statistics;

import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Driver;
import dev.weir.bench.result.Point;
import dev.weir.bench.statistics.History.Reading;
import dev.weir.bench.statistics.History.Snapshot;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * One metric of a driver for each version of its library, from all campaigns of a {@link History}. Drivers whose names
 * differ only in the version, such as {@code plain@2.4.0} and {@code plain}, count as one driver. Immutable,
 * thread-safe.
 *
 * @param driver the driver's name without a version
 * @param figures the figures by version, oldest version first
 */
public record VersionSeries(Point point, String driver, Metric metric, List<Figure> figures) {

    /**
     * The figures of a version. If several campaigns measured the version, {@code ratio} and {@code median} are the
     * medians over these campaigns.
     *
     * @param place the index of the version among all of the driver's versions in the history, oldest first
     * @param campaigns the number of campaigns that measured this version
     * @param newest the newest of these campaigns
     * @param ratio the ratio to the baseline; NaN if the campaigns have only one driver
     * @param low the lowest lower end of the campaigns' 95 % intervals of the ratio; NaN if no campaign has two rounds
     * @param high the highest upper end of the campaigns' 95 % intervals; NaN if no campaign has two rounds
     * @param median the median in the metric's unit
     * @param lowMedian the lowest of the campaigns' medians
     * @param highMedian the highest of the campaigns' medians
     */
    public record Figure(
            String version,
            int place,
            int campaigns,
            Campaign newest,
            double ratio,
            double low,
            double high,
            double median,
            double lowMedian,
            double highMedian) {

        private static Figure of(String version, int place, List<Source> sources) {
            return new Figure(
                    version,
                    place,
                    (int) sources.stream().map(Source::campaign).distinct().count(),
                    sources.getLast().campaign,
                    median(sources, Reading::ratio),
                    sources.stream()
                            .mapToDouble(each -> each.reading.low())
                            .filter(Double::isFinite)
                            .min()
                            .orElse(Double.NaN),
                    sources.stream()
                            .mapToDouble(each -> each.reading.high())
                            .filter(Double::isFinite)
                            .max()
                            .orElse(Double.NaN),
                    median(sources, Reading::median),
                    sources.stream()
                            .mapToDouble(each -> each.reading.median())
                            .min()
                            .orElse(Double.NaN),
                    sources.stream()
                            .mapToDouble(each -> each.reading.median())
                            .max()
                            .orElse(Double.NaN));
        }

        private static double median(List<Source> sources, ToDoubleFunction<Reading> figure) {
            return Samples.median(sources.stream()
                    .mapToDouble(each -> figure.applyAsDouble(each.reading))
                    .toArray());
        }
    }

    /** A figure of one campaign. */
    private record Source(Campaign campaign, Reading reading) {}

    /**
     * Returns the series of a history, in the order of points, drivers and metrics. A driver measured in only one
     * version has a single figure in each series. Libraries of unknown version are left out.
     */
    public static List<VersionSeries> of(History history) {
        Map<History.Key, Map<LibraryVersion, List<Source>>> gathered = new LinkedHashMap<>();
        Map<String, Map<String, LibraryVersion>> known = new HashMap<>();
        for (Snapshot snapshot : history.snapshots()) {
            Map<String, LibraryVersion> versions = versions(snapshot.campaign(), known);
            snapshot.readings().forEach((key, reading) -> {
                LibraryVersion version = versions.get(key.driver());
                if (version != null) {
                    gathered.computeIfAbsent(
                                    new History.Key(key.point(), library(key.driver()), key.metric()),
                                    k -> new TreeMap<>())
                            .computeIfAbsent(version, v -> new ArrayList<>())
                            .add(new Source(snapshot.campaign(), reading));
                }
            });
        }
        List<VersionSeries> series = new ArrayList<>();
        gathered.forEach((key, versions) -> {
            List<LibraryVersion> all = known.getOrDefault(key.driver(), Map.of()).values().stream()
                    .sorted()
                    .toList();
            List<Figure> figures = new ArrayList<>();
            versions.forEach((version, sources) ->
                    figures.add(Figure.of(version.label(isAmbiguous(version, all)), all.indexOf(version), sources)));
            series.add(new VersionSeries(key.point(), key.driver(), key.metric(), List.copyOf(figures)));
        });
        return List.copyOf(series);
    }

    private static boolean isAmbiguous(LibraryVersion version, List<LibraryVersion> all) {
        return all.stream().anyMatch(each -> each.label().equals(version.label()) && !each.equals(version));
    }

    /**
     * Returns the versions of the campaign's drivers, by driver name.
     *
     * @param known the versions from earlier campaigns, by driver and label
     */
    private static Map<String, LibraryVersion> versions(
            Campaign campaign, Map<String, Map<String, LibraryVersion>> known) {
        Map<String, LibraryVersion> versions = new HashMap<>();
        for (Driver driver : campaign.drivers()) {
            LibraryVersion version = LibraryVersion.of(driver, campaign);
            if (version != null) {
                versions.put(
                        driver.name(),
                        known.computeIfAbsent(library(driver.name()), library -> new HashMap<>())
                                .computeIfAbsent(version.label(true), label -> version));
            }
        }
        return versions;
    }

    private static String library(String driver) {
        return driver.split("@", 2)[0];
    }
}
