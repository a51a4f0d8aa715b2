package dev.weir.bench.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.bench.RunFailure;
import dev.weir.driver.Report;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class PolledSizesTest {
    private final PolledSizes sizes = new PolledSizes();

    private static Report.Polls polls(long empty, long... records) {
        Histogram histogram = new Histogram(3);
        Arrays.stream(records).forEach(histogram::recordValue);
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        return new Report.Polls(Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length)), empty);
    }

    private Map<String, Double> figures() {
        Map<String, Double> figures = new HashMap<>();
        sizes.put(figures);
        return figures;
    }

    /** The medians of two processes are 8 and 500. The median of all polls must not be their mean. */
    @Test
    void percentiles_ofSeveralProcesses_areOfAllPolls() {
        sizes.add(polls(4, 8, 8, 8, 8, 8));
        sizes.add(polls(0, 500));
        assertThat(figures())
                .containsEntry(PolledSizes.P50, 8.0)
                .containsEntry(PolledSizes.P99, 500.0)
                .containsEntry(PolledSizes.MAX, 500.0)
                .containsEntry(PolledSizes.EMPTY, 40.0);
    }

    @Test
    void emptyPolls_thatAProcessCannotSee_areNoFigure() {
        sizes.add(polls(4, 8));
        sizes.add(polls(Report.Polls.UNKNOWN, 8));
        assertThat(figures()).containsEntry(PolledSizes.P50, 8.0).doesNotContainKey(PolledSizes.EMPTY);
    }

    @Test
    void onlyEmptyPolls_haveNoPercentiles() {
        sizes.add(new Report.Polls("", 3));
        assertThat(figures()).containsOnly(Map.entry(PolledSizes.EMPTY, 100.0));
    }

    @Test
    void whatIsTold_isTheSameAgain() {
        sizes.add(polls(1, 3, 5));
        sizes.add(null);
        PolledSizes again = new PolledSizes();
        again.add(sizes.told());
        Map<String, Double> figures = new HashMap<>();
        again.put(figures);
        assertThat(figures).isEqualTo(figures()).containsEntry(PolledSizes.EMPTY, 100.0 / 3);
        assertThat(new PolledSizes().told()).isNull();
    }

    @Test
    void whatIsNoHistogram_failsTheRun() {
        assertThatThrownBy(() -> sizes.add(new Report.Polls("AAAA", 0))).isInstanceOf(RunFailure.class);
    }
}
