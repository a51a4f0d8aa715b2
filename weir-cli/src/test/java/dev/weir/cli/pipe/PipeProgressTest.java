package dev.weir.cli.pipe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.pipeline.PipelineCounts;
import dev.weir.kafka.ConsumerSnapshot;
import dev.weir.kafka.ConsumerSnapshot.PartitionSnapshot;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class PipeProgressTest {

    private final PipeProgress progress = new PipeProgress(() -> 0);

    private static ConsumerSnapshot consumer(int outstanding, long lag) {
        return ConsumerSnapshot.of(List.of(PartitionSnapshot.of("in", 0, false, outstanding, 0, lag)), 0, 0, 0, 0);
    }

    @Test
    void line_addsUp() {
        assertThat(progress.line(new PipelineCounts.Moment(1000, 800, 50, 150), consumer(170, 5000), null, 0))
                .contains("in 1,000  out 800 (50 dead-letter records)", "in flight 150  lag 5,000");
    }

    @Test
    void lag_isNotLessThanWhatIsInFlight() {
        assertThat(progress.line(new PipelineCounts.Moment(1000, 800, 0, 200), consumer(170, 100), null, 0))
                .contains("in flight 200  lag 200");
    }

    /** Regression: an unknown lag was shown as 0. */
    @Test
    void lag_thatIsUnknown_isAQuestionMark() {
        assertThat(progress.line(new PipelineCounts.Moment(9, 9, 0, 0), consumer(0, -1), null, 0))
                .contains("in flight 0  lag ?  paused");
    }

    @Test
    void brokersThatAreGone_areTold_beforeAndAfterTheFirstRecord() {
        Instant since = Instant.parse("2026-03-01T03:00:07.5Z");
        assertThat(progress.line(new PipelineCounts.Moment(9, 8, 0, 1), consumer(1, 1), since, 0))
                .matches("no broker answers since \\d\\d:\\d\\d:07  in 9 .*");
        ConsumerSnapshot nothing = ConsumerSnapshot.of(List.of(), 0, 0, 0, 0);
        assertThat(progress.line(new PipelineCounts.Moment(0, 0, 0, 0), nothing, since, 0))
                .contains("no broker answers since", "joining the group");
    }
}
