package dev.weir.bench.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LoadSpreadTest {

    @Test
    void loadThatIsSpreadAsAsked_isNot_other() {
        assertThat(shares(500, 498, 501).isOtherThan(0)).isFalse();
        assertThat(shares(667, 333).isOtherThan(1)).isFalse();
        assertThat(shares(1, 0, 2).isOtherThan(0)).as("too few to tell").isFalse();
    }

    @Test
    void partitionWithAnotherShare_isSeen() {
        assertThat(shares(500, 400, 600).isOtherThan(0)).isTrue();
        assertThat(shares(500, 500).isOtherThan(1))
                .as("even where skew was asked for")
                .isTrue();
    }

    @Test
    void processThatGotNothing_isSeen_whereThereIsAPartitionForEach() {
        long[] sent = {300, 300};
        assertThat(came(sent, new long[] {600, 0}).isOtherThan(0)).isTrue();
        assertThat(came(sent, new long[] {300, 300, 0}).isOtherThan(0)).isFalse();
        assertThat(came(sent, new long[] {450, 150}).figures())
                .contains(
                        entry("load: hottest partition %", 50.0),
                        entry("load: busiest process %", 75.0),
                        entry("load: idlest process %", 25.0));
    }

    /** Two groups with two processes each read two partitions. A process that receives no records must be noticed. */
    @Test
    void processOfOneOfSeveralGroups_thatGotNothing_isSeen() {
        long[] sent = {300, 300};
        assertThat(came(sent, new long[] {300, 300}, new long[] {600, 0}).isOtherThan(0))
                .isTrue();
        LoadSpread even = came(sent, new long[] {300, 300}, new long[] {360, 240});
        assertThat(even.isOtherThan(0)).isFalse();
        assertThat(even.figures())
                .contains(entry("load: busiest process %", 30.0), entry("load: idlest process %", 20.0));
    }

    @Test
    void series_addUpRatesOfProcesses_andAverageTheRest() {
        SeriesBook book = new SeriesBook();
        book.add(0, Map.of("client: fetches/s", 10.0, "client: fetch ms", 2.0));
        book.add(0, Map.of("client: fetches/s", 20.0));
        book.add(1, Map.of("client: fetches/s", 5.0, "client: fetch ms", 4.0));
        book.add(SeriesBook.AROUND, Map.of("host: disk read MB/s", 7.0));
        assertThat(book.figures())
                .containsOnly(
                        entry("client: fetches/s", 20.0),
                        entry("client: fetch ms", 3.0),
                        entry("host: disk read MB/s", 7.0));
        assertThat(SeriesBook.means(List.of(Map.of("a/s", 1.0), Map.of(), Map.of("a/s", 3.0))))
                .containsOnly(entry("a/s", 2.0));
    }

    private static LoadSpread shares(long... sentTo) {
        return new LoadSpread(sentTo, List.of());
    }

    private static LoadSpread came(long[] sentTo, long[]... groups) {
        return new LoadSpread(sentTo, List.of(groups));
    }
}
