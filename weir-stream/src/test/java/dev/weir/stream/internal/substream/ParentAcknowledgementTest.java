package dev.weir.stream.internal.substream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ParentAcknowledgementTest {

    private final List<String> calls = new ArrayList<>();

    private AckTarget target(String name) {
        return new AckTarget() {
            @Override
            public void ack(long token) {
                calls.add(name + " ack " + token);
            }

            @Override
            public void abandon(long token) {
                calls.add(name + " abandon " + token);
            }

            @Override
            public void retain(long token, int count) {
                calls.add(name + " retain " + token + " for " + count);
            }
        };
    }

    private static Batch<String> batch(AckTarget target, String... values) {
        Batch<String> batch = new Batch<>(values.length);
        for (int i = 0; i < values.length; i++) {
            batch.add(values[i], target, i);
        }
        return batch;
    }

    private ParentAcknowledgement parent() {
        return ParentAcknowledgement.of(batch(target("parent"), "first", "second"), 1);
    }

    @Test
    void children_holdOneAcknowledgementOfTheParentEach_besideTheirOwn() {
        Batch<String> children = parent().over(batch(target("child"), "a", "b"));
        assertThat(calls).containsExactly("parent retain 1 for 2");
        assertThat(children.get(0)).isEqualTo("a");
        assertThat(children.get(1)).isEqualTo("b");
        children.ack(1);
        assertThat(calls).endsWith("child ack 1", "parent ack 1").hasSize(3);
        children.target(0).abandon(children.token(0));
        assertThat(calls).endsWith("child abandon 0", "parent abandon 1").hasSize(5);
    }

    @Test
    void children_withoutTheirOwnAcknowledgement_holdThatOfTheParent() {
        Batch<String> children = parent().over(batch(AckTarget.NONE, "a"));
        children.ackAll();
        assertThat(calls).containsExactly("parent retain 1 for 1", "parent ack 1");
    }

    /** Nothing is retained, and the batch itself is passed on. */
    @Test
    void children_ofAParentWithoutAnAcknowledgement_orNoChildren_areLeftAlone() {
        Batch<String> children = batch(target("child"), "a");
        assertThat(ParentAcknowledgement.NONE.over(children)).isSameAs(children);
        Batch<String> none = batch(target("child"));
        assertThat(parent().over(none)).isSameAs(none);
        assertThat(calls).isEmpty();
    }

    @Test
    void parent_ofAReplacedStream_isAcknowledged_withWhatTheStreamCouldNotEmit() {
        parent().giveBack(2);
        assertThat(calls).containsExactly("parent ack 1", "parent ack 1");
        parent().replaced();
        assertThat(calls).hasSize(3).endsWith("parent ack 1");
        parent().left();
        assertThat(calls).hasSize(4).endsWith("parent abandon 1");
    }
}
