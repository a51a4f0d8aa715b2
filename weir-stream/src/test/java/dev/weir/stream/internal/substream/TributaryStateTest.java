package dev.weir.stream.internal.substream;

import static dev.weir.stream.internal.substream.TributaryState.CLOSED_EARLY;
import static dev.weir.stream.internal.substream.TributaryState.CLOSING;
import static dev.weir.stream.internal.substream.TributaryState.ENDED;
import static dev.weir.stream.internal.substream.TributaryState.ENDED_EARLY;
import static dev.weir.stream.internal.substream.TributaryState.RUNNING;
import static dev.weir.stream.internal.substream.TributaryState.STARTING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the transitions in the class comment's diagram. */
class TributaryStateTest {

    @Test
    void stream_thatEndsByItself_runsAndEnds() {
        assertThat(STARTING.attached()).isEqualTo(RUNNING);
        assertThat(RUNNING.lowestClosed()).isEqualTo(ENDED);
    }

    @Test
    void stream_thatIsClosedWhileItRuns_waitsForItsLowestStage() {
        assertThat(RUNNING.close()).isEqualTo(CLOSING);
        assertThat(CLOSING.lowestClosed()).isEqualTo(ENDED);
    }

    @Test
    void stream_thatIsClosedBeforeItIsAttached_isClosedByTheThreadThatAttachesIt() {
        assertThat(STARTING.close()).isEqualTo(CLOSED_EARLY);
        assertThat(CLOSED_EARLY.attached()).isEqualTo(CLOSING);
    }

    @Test
    void stream_thatEndsBeforeItIsAttached_isEndedByTheThreadThatAttachesIt() {
        assertThat(STARTING.lowestClosed()).isEqualTo(ENDED_EARLY);
        assertThat(CLOSED_EARLY.lowestClosed()).isEqualTo(ENDED_EARLY);
        assertThat(ENDED_EARLY.attached()).isEqualTo(ENDED);
    }

    @ParameterizedTest
    @EnumSource(names = {"CLOSED_EARLY", "ENDED_EARLY", "CLOSING", "ENDED"})
    void close_afterTheFirst_changesNothing(TributaryState state) {
        assertThat(state.close()).isEqualTo(state);
    }

    @ParameterizedTest
    @EnumSource(names = {"RUNNING", "CLOSING", "ENDED"})
    void attached_twice_isRefused(TributaryState state) {
        assertThatThrownBy(state::attached).isInstanceOf(IllegalStateException.class);
    }
}
