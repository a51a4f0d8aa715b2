package dev.weir.cli.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class PipelineCountsTest {

    private final PipelineCounts counts = new PipelineCounts();

    /** Regression: the demo's counts decreased while dead-letter records were in flight. */
    @Test
    void lettersOnTheirWay_takeNothingBack() {
        assertThat(counts.next(100, 0, 0, 0, 200)).isEqualTo(new PipelineCounts.Moment(200, 100, 0, 100));
        assertThat(counts.next(110, 0, 50, 0, 200)).isEqualTo(new PipelineCounts.Moment(200, 100, 10, 90));
        assertThat(counts.next(200, 0, 50, 0, 200)).isEqualTo(new PipelineCounts.Moment(200, 150, 50, 0));
    }

    @Test
    void plantedCounters_addUp_neverGoBack_andAreExactAtTheEnd() {
        Random random = new Random(42);
        long in = 0;
        long made = 0;
        long deadMade = 0;
        long written = 0;
        long deadWritten = 0;
        PipelineCounts.Moment last = new PipelineCounts.Moment(0, 0, 0, 0);
        for (int i = 0; i < 10_000; i++) {
            in += random.nextInt(100);
            long room = in - made - deadWritten;
            long more = room == 0 ? 0 : random.nextLong(room + 1);
            deadMade += more / 3;
            made += more;
            written += made == written ? 0 : random.nextLong(made - written + 1);
            deadWritten += in - made - deadWritten > 5 ? 1 : 0;
            PipelineCounts.Moment now = counts.next(written, deadWritten, deadMade, 0, in);
            assertThat(now.out() + now.dead() + now.inFlight()).isEqualTo(now.in());
            assertThat(now.in()).isGreaterThanOrEqualTo(last.in());
            assertThat(now.out()).isGreaterThanOrEqualTo(last.out());
            assertThat(now.dead()).isGreaterThanOrEqualTo(last.dead());
            last = now;
        }
        PipelineCounts.Moment end = counts.next(made, deadWritten, deadMade, 0, in);
        assertThat(end.out()).isEqualTo(made - deadMade);
        assertThat(end.dead()).isEqualTo(deadMade + deadWritten);
    }

    @Test
    void recordsGivenUp_areNotInFlightForEver() {
        var ignored = counts.next(90, 0, 0, 0, 100);
        assertThat(counts.settled().inFlight()).isZero();
        assertThat(counts.next(95, 0, 0, 0, 110).inFlight()).isEqualTo(5);
        assertThat(counts.next(110, 0, 0, 0, 110).inFlight())
                .as("they came after all")
                .isZero();
        assertThat(counts.next(110, 0, 0, 0, 117).inFlight()).isEqualTo(7);
    }

    /** Regression: dropped records counted as in flight until the pipe was idle. */
    @Test
    void recordsDropped_areNotInFlight_alsoWhileOthersAre() {
        assertThat(counts.next(50, 0, 0, 30, 100)).isEqualTo(new PipelineCounts.Moment(100, 50, 0, 20));
        assertThat(counts.next(160, 0, 0, 30, 200)).isEqualTo(new PipelineCounts.Moment(200, 160, 0, 10));
        assertThat(counts.next(169, 1, 0, 30, 200)).isEqualTo(new PipelineCounts.Moment(200, 169, 1, 0));
    }
}
