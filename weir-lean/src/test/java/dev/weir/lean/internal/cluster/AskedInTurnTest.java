package dev.weir.lean.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests which broker is queried for metadata. */
class AskedInTurnTest {

    private static final int KNOWN = 3;
    private static final int BOOTSTRAP = 2;

    private final AskedInTurn turns = new AskedInTurn();

    private int next() {
        return turns.next(KNOWN, BOOTSTRAP);
    }

    @Test
    void whoIsKnown_isAskedInTurn_thenWhoIsThereToBootstrapFrom() {
        List<Integer> asked = new ArrayList<>();
        for (int i = 0; i < 2 * (KNOWN + BOOTSTRAP); i++) {
            asked.add(next());
            turns.failed();
        }
        assertThat(asked.subList(0, KNOWN)).containsExactlyInAnyOrder(0, 1, 2);
        assertThat(asked.subList(KNOWN, KNOWN + BOOTSTRAP)).containsExactly(3, 4);
        assertThat(asked.subList(KNOWN + BOOTSTRAP, 2 * KNOWN + BOOTSTRAP)).containsExactlyInAnyOrder(0, 1, 2);
        assertThat(turns.round(KNOWN, BOOTSTRAP)).isEqualTo(2);
    }

    @Test
    void beforeAnybodyIsKnown_onlyThoseToBootstrapFromAreAsked() {
        assertThat(turns.next(0, BOOTSTRAP)).isZero();
        turns.failed();
        assertThat(turns.next(0, BOOTSTRAP)).isEqualTo(1);
        turns.failed();
        assertThat(turns.next(0, BOOTSTRAP)).isZero();
        assertThat(turns.round(0, BOOTSTRAP)).isEqualTo(1);
    }

    @Test
    void whoDoesNotHelpTwiceInARow_isLeft() {
        turns.answered();
        turns.doubt();
        turns.doubt();
        assertThat(turns.isEnough(false)).as("one answer in doubt").isFalse();
        turns.answered();
        assertThat(turns.isEnough(false)).as("nobody doubts the second one").isFalse();
        turns.doubt();
        assertThat(turns.isEnough(false)).isTrue();
        turns.left();
        assertThat(turns.isEnough(false)).as("the next one has not answered").isFalse();
    }

    @Test
    void whoContradictsAnother_isLeftAtOnce() {
        turns.answered();
        turns.contradicted();
        assertThat(turns.isEnough(false)).isTrue();
    }

    /** Regression: the same bootstrap broker was queried forever if its metadata were always too old. */
    @Test
    void whoIsLeftAfterOneAnswerThatDidNotHelp_becauseItIsOld_isNotAskedForEver() {
        List<Integer> asked = new ArrayList<>();
        for (int i = 0; i < KNOWN + BOOTSTRAP; i++) {
            asked.add(next());
            turns.answered();
            turns.doubt();
            assertThat(turns.isEnough(true)).isTrue();
            turns.left();
        }
        assertThat(asked).containsExactlyInAnyOrder(0, 1, 2, 3, 4);
    }

    @Test
    void answerThatNobodyDoubts_ends_whatWasInARow() {
        turns.answered();
        turns.doubt();
        turns.answered();
        turns.answered();
        turns.doubt();
        assertThat(turns.isEnough(false)).isFalse();
    }

    @Test
    void whoseAnswerIsOld_isLeft_andTheNextOneIsNoneToBootstrapFrom() {
        assertThat(turns.isEnough(true)).as("nobody has answered").isFalse();
        for (int i = 0; i < 2 * KNOWN; i++) {
            assertThat(next()).isLessThan(KNOWN);
            turns.answered();
            assertThat(turns.isEnough(true)).isTrue();
            turns.left();
        }
    }
}
