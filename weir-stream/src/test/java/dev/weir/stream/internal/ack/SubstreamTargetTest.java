package dev.weir.stream.internal.ack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.internal.ack.SubstreamTarget.Wrapper;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the targets of elements inside a substream, and of elements that have left it. */
class SubstreamTargetTest {

    private final RecordingTarget source = new RecordingTarget("a");
    private final LeftoverAcknowledgements leftovers = new LeftoverAcknowledgements();

    /** The border of a substream whose pipeline continues. */
    private final Wrapper border = new Wrapper(() -> true, leftovers);

    private final AckTarget inside = border.apply(source);

    /** A target of a stage inside the substream, as a user may write it. */
    private record Passing(AckTarget target) implements AckTarget {

        @Override
        public void ack(long token) {
            target.ack(token);
        }

        @Override
        public void forgo(long token) {
            target.forgo(token);
        }

        @Override
        public void abandon(long token) {
            target.abandon(token);
        }

        @Override
        public boolean dropIfRevoked(long token) {
            return target.dropIfRevoked(token);
        }

        @Override
        public boolean isRevoked(long token) {
            return target.isRevoked(token);
        }

        @Override
        public void roots(long token, RootVisitor visitor) {
            target.roots(token, visitor);
        }

        @Override
        public String placeOf(long token) {
            return target.placeOf(token);
        }

        @Override
        public void retain(long token, int count) {
            target.retain(token, count);
        }
    }

    enum Outcome {
        ACK,
        FORGO,
        ABANDON;

        void end(AckTarget target, long token) {
            switch (this) {
                case ACK -> target.ack(token);
                case FORGO -> target.forgo(token);
                case ABANDON -> target.abandon(token);
            }
        }

        String call(long token) {
            return switch (this) {
                case ACK -> "ack " + token;
                case FORGO -> "forgo " + token;
                case ABANDON -> "abandon " + token;
            };
        }
    }

    @Test
    void targets_thatAreEqual_shareAWrapper() {
        RecordingTarget other = new RecordingTarget();
        assertThat(border.apply(AckTarget.NONE)).isSameAs(AckTarget.NONE);
        assertThat(border.apply(source)).isSameAs(inside);
        AckTarget ofOther = border.apply(other);
        assertThat(ofOther).isNotSameAs(inside);
        ofOther.ack(1);
        assertThat(other.calls()).containsExactly("ack 1");
        border.apply(source).ack(2);
        assertThat(source.calls()).containsExactly("ack 2");
    }

    @Test
    void calls_andQuestions_reachTheSource() {
        inside.ack(1);
        inside.retain(2, 3);
        assertThat(inside.dropIfRevoked(3)).isFalse();
        assertThat(inside.isRevoked(3)).isFalse();
        source.revoked();
        assertThat(inside.isRevoked(4)).isTrue();
        assertThat(inside.dropIfRevoked(4)).isTrue();
        assertThat(source.calls()).containsExactly("ack 1", "retain 2 +3", "drop 4");
        assertThat(inside.standsFor(5, source, 5)).isTrue();
        assertThat(inside.standsFor(5, source, 6)).isFalse();
        assertThat(inside.placeOf(6)).isEqualTo("a@6");
        AtomicInteger roots = new AtomicInteger();
        inside.roots(7, (of, token) -> {
            assertThat(of).isSameAs(source);
            roots.addAndGet((int) token);
        });
        assertThat(roots).hasValue(7);
    }

    @Test
    void element_withoutLeftovers_isFinishedIfThePipelineContinues() {
        AckTarget continued = new Wrapper(() -> true).apply(source);
        continued.forgo(1);
        continued.abandon(2);
        assertThat(source.calls()).containsExactly("ack 1", "ack 2");
        AckTarget ended = new Wrapper(() -> false).apply(source);
        ended.forgo(3);
        ended.abandon(4);
        assertThat(source.calls()).containsExactly("forgo 3", "abandon 4");
    }

    @Test
    void abandonedElement_isKept_untilTheEndOfTheSubstream() {
        inside.abandon(1);
        assertThat(source.calls()).isEmpty();
        leftovers.end(true);
        assertThat(source.calls()).containsExactly("ack 1");
    }

    @Test
    void forgoneElement_isKept_onceTheSubstreamHasEnded() {
        AckTarget ended = new Wrapper(() -> false, leftovers).apply(source);
        ended.forgo(1);
        inside.forgo(2);
        assertThat(source.calls()).containsExactly("forgo 1", "ack 2");
        leftovers.due();
        ended.forgo(3);
        inside.forgo(4);
        assertThat(source.calls()).isEmpty();
        leftovers.end(false);
        assertThat(source.calls()).containsExactly("abandon 3", "abandon 4");
    }

    @Test
    void abandonedElement_ifRevoked_isDroppedAtOnce() {
        source.revoked();
        inside.abandon(1);
        new Wrapper(() -> true).apply(source).abandon(2);
        new Wrapper(() -> false).apply(source).abandon(3);
        assertThat(source.calls()).containsExactly("drop 1", "drop 2", "drop 3");
        leftovers.end(true);
        assertThat(source.calls()).isEmpty();
    }

    @Test
    void leave_replacesTheTargetOfEachElement() {
        RecordingTarget within = new RecordingTarget();
        Batch<Integer> batch = new Batch<>(4);
        batch.add(1, inside, 1);
        batch.add(2);
        batch.add(3, within, 3);
        batch.add(4, inside, 4);
        SubstreamTarget.leave(batch, border);
        assertThat(batch.target(0)).isSameAs(source);
        assertThat(batch.target(1)).isSameAs(AckTarget.NONE);
        // A source inside the substream has no target outside.
        assertThat(batch.target(2)).isSameAs(within);
        assertThat(batch.target(3)).isSameAs(source);
        batch.abandonAll();
        assertThat(source.calls()).containsExactly("abandon 1", "abandon 4");
        assertThat(within.calls()).containsExactly("abandon 3");
    }

    @Test
    void leave_ofPlainElements_replacesTheirCommonTarget() {
        Batch<Integer> batch = Batch.of(new Object[] {1, 2}, 2, inside, new long[] {1, 2});
        SubstreamTarget.leave(batch, border);
        batch.abandonAll();
        assertThat(source.calls()).containsExactly("abandon 1", "abandon 2");
    }

    /** Given one substream in another. */
    @Test
    void leave_ofAnotherSubstream_changesNothing() {
        Wrapper inner = new Wrapper(() -> true, new LeftoverAcknowledgements());
        AckTarget twice = inner.apply(inside);
        assertThat(border.outside(twice, 1)).isSameAs(twice);
        assertThat(inner.outside(twice, 1)).isSameAs(inside);
    }

    @Test
    void combinedElement_whoseOnlyHolderLeaves_isMoved() {
        JointAck joint = new JointAck(2);
        joint.add(inside, 1);
        joint.add(inside, 2);
        assertThat(border.outside(joint, 0)).isSameAs(joint);
        assertThat(source.calls()).isEmpty();
        joint.abandon(0);
        assertThat(source.calls()).containsExactly("abandon 1", "abandon 2");
    }

    /** The outcome inside the substream must not become the outcome outside. */
    @ParameterizedTest
    @EnumSource(names = {"FORGO", "ABANDON"})
    void combinedElement_partOfWhichWasGivenUpInside_isReplaced(Outcome before) {
        JointAck joint = new JointAck(1);
        joint.add(inside, 1);
        joint.retain(0, 1);
        before.end(joint, 0);
        leftovers.due();
        AckTarget outside = border.outside(joint, 0);
        assertThat(outside).isNotSameAs(joint);
        assertThat(source.calls()).containsExactly("retain 1 +1");
        outside.ack(0);
        assertThat(source.calls()).containsExactly("ack 1");
        leftovers.end(false);
        assertThat(source.calls()).containsExactly("abandon 1");
    }

    /** Given a group of elements that was split again. */
    @Test
    void elementsOfOneCombination_thatLeaveTogether_shareAReplacement() {
        JointAck joint = new JointAck(1);
        joint.add(inside, 1);
        joint.retain(0, 3);
        Batch<Integer> batch = Batch.of(new Object[] {1, 2, 3}, 3, joint, new long[3]);
        SubstreamTarget.leave(batch, border);
        assertThat(batch.target(0)).isNotSameAs(joint);
        assertThat(batch.target(1)).isSameAs(batch.target(0));
        assertThat(batch.target(2)).isSameAs(batch.target(0));
        assertThat(source.calls()).containsExactly("retain 1 +1");
        batch.ack(0);
        batch.ack(1);
        assertThat(source.calls()).isEmpty();
        batch.ack(2);
        assertThat(source.calls()).containsExactly("ack 1");
        // The fourth element is still inside.
        joint.ack(0);
        assertThat(source.calls()).containsExactly("ack 1");
    }

    @Test
    void elementsOfOneCombination_afterTheReplacementHasEnded_getAnotherOne() {
        JointAck joint = new JointAck(1);
        joint.add(inside, 1);
        joint.retain(0, 2);
        border.outside(joint, 0).ack(0);
        assertThat(source.calls()).containsExactly("retain 1 +1", "ack 1");
        border.outside(joint, 0).abandon(0);
        assertThat(source.calls()).containsExactly("retain 1 +1", "abandon 1");
    }

    @Test
    void elementsOfTwoCombinations_thatLeaveTogether_shareNothing() {
        AckTarget[] outside = new AckTarget[2];
        for (int i = 0; i < 2; i++) {
            JointAck joint = new JointAck(1);
            joint.add(inside, i);
            joint.retain(0, 1);
            outside[i] = border.outside(joint, 0);
        }
        assertThat(source.calls()).containsExactly("retain 0 +1", "retain 1 +1");
        outside[0].ack(0);
        outside[1].abandon(0);
        assertThat(source.calls()).containsExactly("ack 0", "abandon 1");
    }

    @ParameterizedTest
    @EnumSource
    void elementWithATargetFromInside_endsInsideAndOutside(Outcome outcome) {
        AckTarget outside = border.outside(new Passing(inside), 1);
        assertThat(source.calls()).containsExactly("retain 1 +1");
        outcome.end(outside, 1);
        List<String> both = switch (outcome) {
            case ACK -> List.of("ack 1", "ack 1");
            case FORGO -> List.of("ack 1", "forgo 1");
            // The substream keeps the inner acknowledgement until its end.
            case ABANDON -> List.of("abandon 1");
        };
        assertThat(source.calls()).isEqualTo(both);
    }

    @Test
    void elementWithATargetFromInside_ofTwoSubstreams_hasTheTargetOfTheBorderThatItCrosses() {
        AckTarget twice = new Wrapper(() -> true, new LeftoverAcknowledgements()).apply(inside);
        border.outside(new Passing(twice), 1).abandon(1);
        assertThat(source.calls()).containsExactly("retain 1 +1", "abandon 1");
    }

    private OutsideTarget outsideOf(RecordingTarget within) {
        JointAck outer = new JointAck(1);
        outer.add(source, 1);
        return new OutsideTarget(within, outer);
    }

    @ParameterizedTest
    @EnumSource
    void outsideTarget_whoseInsideThrows_endsOutsideAllTheSame(Outcome outcome) {
        IllegalStateException planted = new IllegalStateException("planted");
        RecordingTarget within = new RecordingTarget().throwing(planted);
        OutsideTarget outside = outsideOf(within);
        assertThatThrownBy(() -> outcome.end(outside, 7)).isSameAs(planted);
        assertThat(within.calls()).containsExactly(outcome.call(7));
        assertThat(source.calls()).containsExactly(outcome.call(1));
    }

    @Test
    void outsideTarget_retained_endsOutsideWithTheLastAcknowledgement() {
        RecordingTarget within = new RecordingTarget("b");
        OutsideTarget outside = outsideOf(within);
        outside.retain(7, 2);
        assertThat(within.calls()).containsExactly("retain 7 +2");
        outside.ack(7);
        outside.ack(7);
        assertThat(source.calls()).isEmpty();
        outside.ack(7);
        assertThat(within.calls()).containsExactly("ack 7", "ack 7", "ack 7");
        assertThat(source.calls()).containsExactly("ack 1");
        assertThat(outside.placeOf(7)).isEqualTo("b@7");
        assertThat(outside.standsFor(7, within, 7)).isTrue();
        assertThat(outside.standsFor(7, within, 8)).isFalse();
    }

    @Test
    void outsideTarget_ifRevoked_isDroppedInsideAndAbandonedOutside() {
        RecordingTarget within = new RecordingTarget();
        OutsideTarget outside = outsideOf(within);
        assertThat(outside.isRevoked(7)).isFalse();
        assertThat(outside.dropIfRevoked(7)).isFalse();
        assertThat(source.calls()).isEmpty();
        within.revoked();
        assertThat(outside.isRevoked(7)).isTrue();
        assertThat(outside.dropIfRevoked(7)).isTrue();
        assertThat(within.calls()).containsExactly("drop 7");
        assertThat(source.calls()).containsExactly("abandon 1");
    }
}
