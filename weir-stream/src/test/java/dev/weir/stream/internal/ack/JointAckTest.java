package dev.weir.stream.internal.ack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class JointAckTest {

    private static final List<String> OUTCOMES = List.of("ack", "forgo", "abandon");

    private final RecordingTarget first = new RecordingTarget("a");
    private final RecordingTarget second = new RecordingTarget("b");

    private JointAck ofBoth() {
        JointAck joint = new JointAck(1);
        joint.add(first, 1);
        joint.add(AckTarget.NONE, 7);
        joint.add(second, 2);
        return joint;
    }

    private static void end(JointAck joint, int outcome) {
        switch (outcome) {
            case 0 -> joint.ack(0);
            case 1 -> joint.forgo(0);
            default -> joint.abandon(0);
        }
    }

    /** An abandoned acknowledgement outweighs a forgone one, which outweighs the others. */
    @Test
    void members_endWithTheLastAcknowledgement_andTheWorstOutcome() {
        for (int code = 0; code < 27; code++) {
            JointAck joint = ofBoth();
            joint.retain(0, 2);
            int worst = 0;
            for (int rest = code, ends = 0; ends < 3; ends++) {
                assertThat(first.calls()).isEmpty();
                worst = Math.max(worst, rest % 3);
                end(joint, rest % 3);
                rest /= 3;
            }
            assertThat(first.calls()).containsExactly(OUTCOMES.get(worst) + " 1");
            assertThat(second.calls()).containsExactly(OUTCOMES.get(worst) + " 2");
        }
    }

    @Test
    void members_beyondTheExpectedNumber_allEnd() {
        for (int expected : new int[] {0, 1, 20}) {
            JointAck joint = new JointAck(expected);
            for (int i = 0; i < 100; i++) {
                joint.add(first, i);
            }
            joint.ack(0);
            assertThat(first.calls())
                    .containsExactlyElementsOf(
                            IntStream.range(0, 100).mapToObj(i -> "ack " + i).toList());
        }
    }

    @Test
    void target_withoutMembers_isNone() {
        JointAck joint = new JointAck(1);
        joint.add(AckTarget.NONE, 1);
        assertThat(joint.asTarget()).isSameAs(AckTarget.NONE);
        joint.add(first, 1);
        assertThat(joint.asTarget()).isSameAs(joint);
    }

    @Test
    void tryRetain_addsAnAcknowledgement_untilTheLastHasEnded() {
        JointAck joint = ofBoth();
        assertThat(joint.tryRetain()).isTrue();
        joint.ack(0);
        assertThat(first.calls()).isEmpty();
        joint.ack(0);
        assertThat(first.calls()).containsExactly("ack 1");
        assertThat(joint.tryRetain()).isFalse();
        assertThat(joint.tryRetain()).isFalse();
    }

    @Test
    void standsFor_isTrueForEachMember() {
        JointAck joint = ofBoth();
        assertThat(joint.standsFor(0, first, 1)).isTrue();
        assertThat(joint.standsFor(0, second, 2)).isTrue();
        assertThat(joint.standsFor(0, first, 2)).isFalse();
        assertThat(joint.standsFor(0, second, 1)).isFalse();
    }

    @Test
    void roots_areThoseOfAllMembers() {
        List<String> roots = new ArrayList<>();
        ofBoth().roots(0, (source, token) -> roots.add(source.placeOf(token)));
        assertThat(roots).containsExactly("a@1", "b@2");
    }

    @Test
    void place_isTheFirstOne_withTheNumberOfOthers() {
        RecordingTarget unknown = new RecordingTarget();
        JointAck joint = new JointAck(4);
        assertThat(joint.placeOf(0)).isEmpty();
        joint.add(unknown, 1);
        assertThat(joint.placeOf(0)).isEmpty();
        joint.add(first, 2);
        assertThat(joint.placeOf(0)).isEqualTo("a@2");
        joint.add(unknown, 3);
        assertThat(joint.placeOf(0)).isEqualTo("a@2");
        joint.add(second, 4);
        assertThat(joint.placeOf(0)).isEqualTo("a@2 and 1 more");
        joint.add(second, 5);
        assertThat(joint.placeOf(0)).isEqualTo("a@2 and 2 more");
    }

    @Test
    void pair_endsBothMembers_andNeedsNoJointIfOneHasNoTarget() {
        Batch<String> out = new Batch<>(4);
        JointAck.addPair(out, "left", first, 1, AckTarget.NONE, 0);
        JointAck.addPair(out, "right", AckTarget.NONE, 0, second, 2);
        JointAck.addPair(out, "both", first, 3, second, 4);
        JointAck.addPair(out, "neither", AckTarget.NONE, 0, AckTarget.NONE, 0);
        assertThat(IntStream.range(0, out.size()).mapToObj(out::get))
                .containsExactly("left", "right", "both", "neither");
        assertThat(out.target(0)).isSameAs(first);
        assertThat(out.target(1)).isSameAs(second);
        assertThat(out.target(3)).isSameAs(AckTarget.NONE);
        out.ackAll();
        assertThat(first.calls()).containsExactly("ack 1", "ack 3");
        assertThat(second.calls()).containsExactly("ack 2", "ack 4");
    }
}
