package dev.weir.kafka.internal.out.transaction;

import static dev.weir.kafka.internal.out.transaction.TransactionState.ABORTED;
import static dev.weir.kafka.internal.out.transaction.TransactionState.ABORTING;
import static dev.weir.kafka.internal.out.transaction.TransactionState.ABORT_ASKED;
import static dev.weir.kafka.internal.out.transaction.TransactionState.ENDED;
import static dev.weir.kafka.internal.out.transaction.TransactionState.FILLING;
import static dev.weir.kafka.internal.out.transaction.TransactionState.FLUSHED;
import static dev.weir.kafka.internal.out.transaction.TransactionState.FLUSHING;
import static dev.weir.kafka.internal.out.transaction.TransactionState.IDLE;
import static dev.weir.kafka.internal.out.transaction.TransactionState.OVERLAPPING;
import static dev.weir.kafka.internal.out.transaction.TransactionState.Transition;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.stream.spi.Clock;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class TransactionStateTest {

    /** The legal transitions. Maps each to pairs of the states before and after it. */
    private static final Map<Transition, Map<TransactionState, TransactionState>> LEGAL = Map.of(
            Transition.BEGIN, Map.of(IDLE, FILLING, FLUSHED, OVERLAPPING),
            Transition.CUT, Map.of(FILLING, FLUSHING),
            Transition.FLUSH, Map.of(FLUSHING, FLUSHED, ABORT_ASKED, ABORT_ASKED, ENDED, ENDED),
            Transition.COMMIT, Map.of(FLUSHED, IDLE, OVERLAPPING, FILLING, ABORT_ASKED, ABORT_ASKED, ENDED, ENDED),
            Transition.ASK_ABORT,
                    Map.of(
                            IDLE, ABORT_ASKED,
                            FILLING, ABORT_ASKED,
                            FLUSHING, ABORT_ASKED,
                            FLUSHED, ABORT_ASKED,
                            OVERLAPPING, ABORT_ASKED),
            Transition.ABORT,
                    Map.of(
                            FILLING, ABORTING,
                            FLUSHING, ABORTING,
                            FLUSHED, ABORTING,
                            OVERLAPPING, ABORTING,
                            ABORT_ASKED, ABORTING,
                            ENDED, ENDED),
            Transition.FINISH_ABORT, Map.of(ABORTING, ABORTED, ENDED, ENDED),
            Transition.RESUME, Map.of(ABORTED, IDLE),
            Transition.END,
                    Map.of(
                            IDLE, ENDED,
                            FILLING, ENDED,
                            FLUSHING, ENDED,
                            FLUSHED, ENDED,
                            OVERLAPPING, ENDED,
                            ABORT_ASKED, ENDED,
                            ABORTING, ENDED,
                            ABORTED, ENDED));

    static Stream<Arguments> pairs() {
        return Arrays.stream(TransactionState.values())
                .flatMap(from -> Arrays.stream(Transition.values()).map(by -> Arguments.of(from, by)));
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void transition_isMadeIfLegal_andThrowsWithBothStatesIfNot(TransactionState from, Transition by) {
        Map<TransactionState, TransactionState> legal = Objects.requireNonNull(LEGAL.get(by));
        TransactionState next = legal.get(from);
        assertThat(from.allows(by)).isEqualTo(next != null);
        if (next != null) {
            assertThat(from.after(by)).isEqualTo(next);
            return;
        }
        assertThatIllegalStateException()
                .isThrownBy(() -> from.after(by))
                .withMessageContaining("are " + from + " and cannot become ")
                .withMessageContaining(by.name())
                .satisfies(illegal -> assertThat(legal.values())
                        .allSatisfy(target -> assertThat(illegal).hasMessageContaining(target.name())));
    }

    @Test
    void illegalTransition_ofABoard_throws_andChangesNothing() {
        TransactionsOfRun<String, String> run = new TransactionsOfRun<>(Clock.SYSTEM, false);
        run.lock.lock();
        try {
            assertThatIllegalStateException()
                    .isThrownBy(() -> run.resume(false))
                    .withMessageContaining("invariant 59 does not hold")
                    .withMessageContaining("the transactions of this run are IDLE and cannot become IDLE (RESUME)");
        } finally {
            run.lock.unlock();
        }
        assertThat(run.state()).isEqualTo(IDLE);
    }

    /** The sink uses these methods, and the owner uses the state itself. */
    @ParameterizedTest
    @EnumSource
    void state_takesRecordsOrCuts_onlyWhileNothingIsAborted(TransactionState state) {
        assertThat(state.mayCut()).isEqualTo(state == IDLE || state == FILLING);
        assertThat(state.isAborting())
                .isEqualTo(Map.of(ABORT_ASKED, 1, ABORTING, 1, ABORTED, 1).containsKey(state));
        assertThat(state.mayBegin() || state.allows(Transition.CUT))
                .as("takes part in commits")
                .isEqualTo(state.mayCut() || state == FLUSHED);
    }
}
