package dev.weir.bench.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Driver;
import dev.weir.bench.result.Environment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LibraryVersionTest {

    private static @Nullable LibraryVersion of(String version, String commit, long day) {
        Driver driver = new Driver("d", version, Map.of());
        return LibraryVersion.of(
                driver,
                new Campaign(
                        "id",
                        "name",
                        "",
                        "d",
                        null,
                        1,
                        1,
                        List.of(driver),
                        List.of(),
                        new Environment("", "", "", 1, 1, Map.of(), Map.of(), commit, day)));
    }

    private static LibraryVersion known(String version, String commit, long day) {
        return Objects.requireNonNull(of(version, commit, day));
    }

    /**
     * The second column is the commit of this checkout. A library with its own version gets the number from its jar.
     */
    @ParameterizedTest
    @CsvSource({
        "'kafka-clients-4.4.0, kafka-clients-4.4.0', abc, 4.4.0, 4.4.0",
        "'reactor-kafka-1.3.23, kafka-clients-3.7.0', abc, 1.3.23, 1.3.23 with kafka-clients 3.7.0",
        "pekko-connectors-kafka_2.13-1.1.0, abc, 1.1.0, 1.1.0",
        "'lib-2.0.0-RC1, unknown', abc, 2.0.0-RC1, 2.0.0-RC1",
        "lib-2.0.0-SNAPSHOT, abc, 2.0.0-SNAPSHOT abc, 2.0.0-SNAPSHOT abc",
        "'weir (this checkout), kafka-clients-4.4.0', v0.3.0, 0.3.0, 0.3.0 with kafka-clients 4.4.0",
        "weir (this checkout), v0.3.0-12-gabc1234, 0.3.0-12-gabc1234, 0.3.0-12-gabc1234",
        "weir (this checkout), 0.3.0, 0.3.0, 0.3.0",
        "weir (this checkout), abc1234, abc1234, abc1234",
    })
    void label_isTheReleaseOrTheCommit(String version, String commit, String label, String withClient) {
        LibraryVersion found = known(version, commit, 5);
        assertThat(found.label()).isEqualTo(label);
        assertThat(found.label(false)).isEqualTo(label);
        assertThat(found.label(true)).isEqualTo(withClient);
    }

    @Test
    void versionWithoutANumber_isUnknown() {
        assertThat(of("", "abc", 1)).isNull();
        assertThat(of("a plain socket", "v1.0", 1)).isNull();
    }

    /** Each development version differs from all others, even under the same name. */
    @Test
    void onlyDevelopmentVersions_dependOnTheTime() {
        for (String release : List.of("v0.3.0", "v0.3.0-2-gabc")) {
            assertThat(known("weir (this checkout)", release, 1)).isEqualTo(known("weir (this checkout)", release, 2));
        }
        assertThat(known("lib-1.0", "abc", 1)).isEqualTo(known("lib-1.0", "def", 2));
        assertThat(known("lib-1.0-SNAPSHOT", "abc", 1)).isNotEqualTo(known("lib-1.0-SNAPSHOT", "abc", 2));
        assertThat(known("weir (this checkout)", "abc", 1)).isNotEqualTo(known("weir (this checkout)", "abc", 2));
    }

    @Test
    void versions_areOrderedByReleaseCommitsTimeAndClient() {
        List<LibraryVersion> ordered = Stream.of(
                        known("weir (this checkout)", "v0.9.0-3-gabc", 9),
                        known("weir (this checkout)", "v0.9.0-12-gabc", 3),
                        known("weir (this checkout)", "v0.9.0-12-gdef", 3),
                        known("lib-0.10.0-SNAPSHOT", "abc", 4),
                        known("lib-0.10.0-SNAPSHOT", "aaa", 6),
                        known("lib-0.10.0, kafka-clients-3.9.0", "", 8),
                        known("lib-0.10.0, kafka-clients-3.10.0", "", 7),
                        known("lib-0.10.0", "", 2),
                        known("weir (this checkout)", "fff", 1),
                        known("weir (this checkout)", "eee", 2))
                .toList();
        List<LibraryVersion> shuffled = new ArrayList<>(ordered);
        Collections.shuffle(shuffled, new Random(3));
        assertThat(shuffled.stream().sorted()).containsExactlyElementsOf(ordered);
        assertThat(new TreeSet<>(shuffled)).hasSameSizeAs(ordered);
    }
}
