package dev.weir.bench.figures;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SeriesBookTest {
    private static final String LONGEST = "pause: process, longest ms";

    @Test
    void longest_ofSeveralProcessesAndSlices_isTheGreatest() {
        SeriesBook book = new SeriesBook();
        book.add(1, Map.of(LONGEST, 3.0, "client: fetch ms", 2.0, "client: fetches/s", 5.0));
        book.add(1, Map.of(LONGEST, 1.0));
        book.add(2, Map.of(LONGEST, 40.0, "client: fetch ms", 4.0, "client: fetches/s", 7.0));
        assertThat(book.figures())
                .containsOnly(
                        Map.entry(LONGEST, 40.0),
                        Map.entry("client: fetch ms", 3.0),
                        Map.entry("client: fetches/s", 12.0));
        assertThat(SeriesBook.means(List.of(Map.of(LONGEST, 40.0), Map.of(LONGEST, 1.0), Map.of())))
                .containsOnly(Map.entry(LONGEST, 40.0));
    }
}
