package dev.weir.stream.internal.ack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeftoverAcknowledgementsTest {

    private final RecordingTarget target = new RecordingTarget();
    private final LeftoverAcknowledgements leftovers = new LeftoverAcknowledgements();

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void leftovers_endAsTheStreamDid_alsoLaterOnes(boolean whole) {
        String outcome = whole ? "ack " : "abandon ";
        leftovers.add(target, 1);
        leftovers.add(target, 2);
        assertThat(target.calls()).isEmpty();
        leftovers.end(whole);
        assertThat(target.calls()).containsExactly(outcome + 1, outcome + 2);
        leftovers.add(target, 3);
        assertThat(target.calls()).containsExactly(outcome + 3);
        // Only the first end counts.
        leftovers.end(!whole);
        leftovers.endThisTurn(!whole);
        assertThat(target.calls()).isEmpty();
        leftovers.add(target, 4);
        assertThat(target.calls()).containsExactly(outcome + 4);
    }

    @Test
    void endThisTurn_leavesLaterLeftoversToTheNextStream() {
        leftovers.add(target, 1);
        leftovers.endThisTurn(true);
        assertThat(target.calls()).containsExactly("ack 1");
        leftovers.add(target, 2);
        leftovers.endThisTurn(false);
        assertThat(target.calls()).containsExactly("abandon 2");
        leftovers.add(target, 3);
        assertThat(target.calls()).isEmpty();
        leftovers.finish();
        assertThat(target.calls()).containsExactly("ack 3");
    }

    @Test
    void endTurn_movesLeftoversToTheStoreOfTheStream() {
        assertThat(leftovers.endTurn(null)).isNull();
        leftovers.add(target, 1);
        LeftoverAcknowledgements own = Objects.requireNonNull(leftovers.endTurn(null));
        assertThat(own).isNotSameAs(leftovers);
        leftovers.add(target, 2);
        assertThat(leftovers.endTurn(own)).isSameAs(own);
        assertThat(leftovers.endTurn(own)).isSameAs(own);
        leftovers.finish();
        assertThat(target.calls()).isEmpty();
        own.close();
        assertThat(target.calls()).containsExactly("abandon 1", "abandon 2");
    }

    @Test
    void due_isFalseUntilTheStreamHasEnded() {
        assertThat(leftovers.isDue()).isFalse();
        leftovers.due();
        assertThat(leftovers.isDue()).isTrue();
    }

    @Test
    void leftovers_whoseTargetThrows_allEnd() {
        IllegalStateException planted = new IllegalStateException("planted");
        RecordingTarget throwing = new RecordingTarget().throwing(planted);
        leftovers.add(target, 1);
        leftovers.add(throwing, 2);
        leftovers.add(throwing, 3);
        leftovers.add(target, 4);
        assertThatThrownBy(leftovers::finish).isSameAs(planted);
        assertThat(throwing.calls()).containsExactly("ack 2", "ack 3");
        assertThat(target.calls()).containsExactly("ack 1", "ack 4");
    }
}
