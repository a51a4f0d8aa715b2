package dev.weir.cli.tune;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.metrics.MachineLook;
import dev.weir.metrics.PipelineLook;
import dev.weir.stream.StageSnapshot;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class WindowTest {
    private static final int EVENTS = 2000;

    private final PipelineLook beforeRun = look(0, 0);

    @Test
    void of_aRunThatIsUnderWay_isWhatFollowsTheWarmUp() {
        PipelineLook warm = look(2, 801);

        Window window = Window.of(beforeRun, look(1, 1), warm, EVENTS);

        assertThat(window.from()).isSameAs(warm);
        assertThat(window.until()).isEqualTo(1900);
        // 800 in a second, and 1,099 to come.
        assertThat(window.expected().toMillis()).isEqualTo(1373);
    }

    /** More than what there is never comes: nothing may wait for it. */
    @Test
    void of_aRunThatIsThroughAfterTheWarmUp_beginsWithTheFirstAcknowledgement() {
        PipelineLook first = look(1, 1);

        Window window = Window.of(beforeRun, first, look(2, EVENTS), EVENTS);

        assertThat(window).isEqualTo(new Window(first, 1900, Duration.ZERO));
    }

    @Test
    void of_allAcknowledgedAtOnce_isTheWholeRun() {
        PipelineLook all = look(1, EVENTS);

        Window window = Window.of(beforeRun, all, look(2, EVENTS), EVENTS);

        assertThat(window).isEqualTo(new Window(beforeRun, 1900, Duration.ZERO));
        assertThat(Window.rate(window.from(), all)).isEqualTo(EVENTS);
    }

    @Test
    void of_aRunThatIsNearlyThrough_endsAnEventLaterAtTheEarliest() {
        assertThat(Window.of(beforeRun, look(1, 1), look(2, 1999), EVENTS).until())
                .isEqualTo(EVENTS);
        assertThat(Window.of(beforeRun, look(1, 1950), look(2, EVENTS), EVENTS).until())
                .isEqualTo(1951);
    }

    @Test
    void beforeRun_isTheSamePipelineWithNothingDone() {
        PipelineLook before = Window.beforeRun(look(3, EVENTS), 7, MachineLook.unknown(2));

        assertThat(before.atNanos()).isEqualTo(7);
        assertThat(Window.acknowledged(before.stages())).isZero();
        assertThat(before.stages()).extracting(StageSnapshot::name).containsExactly("produce");
    }

    private static PipelineLook look(long second, long acknowledged) {
        StageSnapshot last = StageSnapshot.of("produce", 1, acknowledged, acknowledged, 0, 0, 0, 0, 0);
        return PipelineLook.of(
                second * 1_000_000_000, List.of(last), List.of(), List.of(), List.of(), MachineLook.unknown(2));
    }
}
