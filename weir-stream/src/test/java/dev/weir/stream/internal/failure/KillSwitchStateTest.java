package dev.weir.stream.internal.failure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.internal.run.TaskSection;
import org.junit.jupiter.api.Test;

class KillSwitchStateTest {

    private final KillSwitchState state = new KillSwitchState();
    private final TaskSection section = new TaskSection();

    @Test
    void turn_interruptsTheSectionsOfRunningStages_alsoThoseAddedLater() {
        TaskSection later = new TaskSection();
        state.add(section);
        assertThat(state.turned()).isNull();
        IllegalStateException failure = new IllegalStateException("planted");
        state.turn(failure);
        state.turn(null);
        assertThat(state.turned()).isEqualTo(new KillSwitchState.Turn(failure));
        assertThat(section.enter()).isFalse();
        state.add(later);
        assertThat(later.enter()).isFalse();
    }

    /** A switch may outlive many pipelines. */
    @Test
    void section_ofAStageThatHasEnded_isForgotten() {
        state.add(section);
        state.remove(section);
        state.turn(null);
        assertThat(section.enter()).isTrue();
        assertThat(section.exit()).isFalse();
    }
}
