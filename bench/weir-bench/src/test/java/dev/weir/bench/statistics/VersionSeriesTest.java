package dev.weir.bench.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Driver;
import dev.weir.bench.result.Environment;
import dev.weir.bench.result.Point;
import dev.weir.bench.statistics.History.Reading;
import dev.weir.bench.statistics.History.Snapshot;
import dev.weir.bench.statistics.VersionSeries.Figure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VersionSeriesTest {

    private static final Point FIRST = new Point("p0", "consume", Map.of());
    private static final Point SECOND = new Point("p1", "consume", Map.of());

    private static History.Key key(Point point, String driver) {
        return new History.Key(point, driver, Metric.RATE);
    }

    private static Reading reading(double figure) {
        return new Reading(1_000 * figure, figure, 0.9 * figure, 1.1 * figure);
    }

    /** Returns a campaign's figures. The versions are by driver. */
    private static Snapshot snapshot(int day, Map<String, String> versions, Map<History.Key, Reading> readings) {
        List<Driver> drivers = new ArrayList<>();
        drivers.add(new Driver("plain", "a socket", Map.of()));
        versions.forEach((name, version) -> drivers.add(new Driver(name, version, Map.of())));
        return new Snapshot(
                new Campaign(
                        "day-" + day,
                        "name",
                        "",
                        "plain",
                        null,
                        1,
                        1,
                        drivers,
                        List.of(FIRST, SECOND),
                        new Environment("", "", "p", 2, 1, Map.of(), Map.of(), "c" + day, day)),
                true,
                new LinkedHashMap<>(readings));
    }

    private static List<VersionSeries> of(Snapshot... snapshots) {
        return VersionSeries.of(History.of(List.of(snapshots)).getFirst());
    }

    @Test
    void figuresOfSeveralCampaigns_areTheirMedians_withTheWidestInterval() {
        Map<String, String> version = Map.of("lib", "lib-1.0");
        List<VersionSeries> series = of(
                snapshot(1, version, Map.of(key(FIRST, "lib"), new Reading(100, 1.0, 0.9, 1.1))),
                snapshot(2, version, Map.of(key(FIRST, "lib"), new Reading(300, 1.2, 1.1, 1.3))),
                snapshot(3, version, Map.of(key(FIRST, "lib"), new Reading(220, 1.05, Double.NaN, Double.NaN))));
        assertThat(series).singleElement().satisfies(each -> {
            assertThat(each.point()).isEqualTo(FIRST);
            assertThat(each.driver()).isEqualTo("lib");
            assertThat(each.metric()).isEqualTo(Metric.RATE);
            Figure figure = each.figures().getFirst();
            assertThat(each.figures()).hasSize(1);
            assertThat(figure.newest().id()).isEqualTo("day-3");
            assertThat(figure).isEqualTo(new Figure("1.0", 0, 3, figure.newest(), 1.05, 0.9, 1.3, 220, 100, 300));
        });
    }

    @Test
    void figureOfOneRound_hasNoInterval() {
        Figure figure = of(snapshot(
                        1,
                        Map.of("lib", "lib-1.0"),
                        Map.of(key(FIRST, "lib"), new Reading(100, 1.0, Double.NaN, Double.NaN))))
                .getFirst()
                .figures()
                .getFirst();
        assertThat(figure.low()).isNaN();
        assertThat(figure.high()).isNaN();
    }

    /** A place counts all versions of the driver, so that charts of different points have the same axis. */
    @Test
    void versionsOfADriver_areInOrder_alsoWithinOneCampaign() {
        List<VersionSeries> series = of(
                snapshot(
                        1,
                        Map.of("lib", "lib-1.10.0", "lib@1.9.0", "lib-1.9.0"),
                        Map.of(key(FIRST, "lib"), reading(2), key(FIRST, "lib@1.9.0"), reading(1))),
                snapshot(2, Map.of("lib", "lib-1.9.5"), Map.of(key(SECOND, "lib"), reading(1.5))),
                snapshot(3, Map.of("lib", "lib-1.9.0"), Map.of(key(FIRST, "lib"), reading(1.4))));
        assertThat(series).hasSize(2);
        VersionSeries first = series.getFirst();
        assertThat(first.point()).isEqualTo(FIRST);
        assertThat(first.driver()).isEqualTo("lib");
        assertThat(first.figures())
                .extracting(each -> each.version() + " at " + each.place() + " of " + each.campaigns())
                .containsExactly("1.9.0 at 0 of 2", "1.10.0 at 2 of 1");
        assertThat(first.figures().getFirst().median()).isEqualTo(1_200);
        assertThat(series.getLast().figures())
                .extracting(each -> each.version() + " at " + each.place())
                .containsExactly("1.9.5 at 1");
    }

    @Test
    void sameReleaseWithAnotherClient_isNamedWithItsClient() {
        List<VersionSeries> series = of(
                snapshot(1, Map.of("lib", "lib-1.0, kafka-clients-3.9.0"), Map.of(key(FIRST, "lib"), reading(1))),
                snapshot(2, Map.of("lib", "lib-1.0, kafka-clients-3.10.0"), Map.of(key(FIRST, "lib"), reading(2))),
                snapshot(3, Map.of("lib", "lib-1.1, kafka-clients-3.9.0"), Map.of(key(FIRST, "lib"), reading(3))));
        assertThat(series.getFirst().figures())
                .extracting(Figure::version)
                .containsExactly("1.0 with kafka-clients 3.9.0", "1.0 with kafka-clients 3.10.0", "1.1");
    }

    /** A commit measured again later keeps the place of its first measurement. */
    @Test
    void commitThatIsMeasuredAgain_isOneVersion() {
        List<VersionSeries> series = of(
                snapshot(1, Map.of("lib", "lib-1.0-SNAPSHOT"), Map.of(key(FIRST, "lib"), reading(1))),
                commit(2, "c2"),
                commit(3, "c3"),
                commit(4, "c2"));
        assertThat(series.getLast().figures())
                .extracting(each -> each.version() + " of " + each.campaigns())
                .containsExactly("c2 of 2", "c3 of 1");
    }

    private static Snapshot commit(int day, String commit) {
        Snapshot snapshot =
                snapshot(day, Map.of("weir", "weir (this checkout)"), Map.of(key(FIRST, "weir"), reading(day)));
        Campaign at = snapshot.campaign();
        Environment environment = new Environment("", "", "p", 2, 1, Map.of(), Map.of(), commit, day);
        return new Snapshot(
                new Campaign(
                        at.id(),
                        at.name(),
                        at.workload(),
                        at.baseline(),
                        at.control(),
                        at.rounds(),
                        at.seed(),
                        at.drivers(),
                        at.points(),
                        environment),
                true,
                snapshot.readings());
    }

    @Test
    void driverOfUnknownVersion_isLeftOut() {
        assertThat(of(snapshot(
                        1,
                        Map.of("lib", "a library"),
                        Map.of(key(FIRST, "lib"), reading(1), key(FIRST, "plain"), reading(1)))))
                .isEmpty();
    }
}
