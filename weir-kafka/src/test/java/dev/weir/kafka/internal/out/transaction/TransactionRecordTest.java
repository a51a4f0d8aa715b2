package dev.weir.kafka.internal.out.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.kafka.internal.out.transaction.LostInputs.Root;
import dev.weir.stream.spi.AckTarget;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

class TransactionRecordTest {

    private final ProducerRecord<String, String> record = new ProducerRecord<>("out", 3, 7L, "key", "value");
    private final OffsetTracker source = new OffsetTracker(10, () -> {});
    private final long token;

    TransactionRecordTest() {
        source.name(new TopicPartition("in", 0));
        token = source.append(5, 1);
    }

    @SuppressWarnings("NullAway") // nothing is sent
    private final OpenTransaction<String, String> transaction =
            new OpenTransaction<>(null, 0, (refused, cause) -> {}, false, true);

    private TransactionRecord<String, String> kept(
            AckTarget target, long ofTarget, boolean isDeadLetter, boolean withPlaces) {
        AckTarget lasting = transaction.lasting(target, ofTarget, withPlaces);
        return new TransactionRecord<>(record, TransactionRecord.headers(record), lasting, ofTarget, isDeadLetter);
    }

    private static List<Root> roots(TransactionRecord<?, ?> element) {
        List<Root> roots = new ArrayList<>();
        element.target.roots(element.token, (of, ofToken) -> roots.add(new Root(of, ofToken)));
        return roots;
    }

    @Test
    void again_isTheRecordAsItWas_whateverASerializerHasAdded() {
        record.headers().add("own", new byte[1]);
        TransactionRecord<String, String> kept = kept(source, token, false, false);
        record.headers().add("of-a-serializer", new byte[0]);
        ((RecordHeaders) record.headers()).setReadOnly();
        TransactionRecord<String, String> again = kept.again();
        assertThat(again.record)
                .isEqualTo(new ProducerRecord<>(
                        "out", 3, 7L, "key", "value", new RecordHeaders().add("own", new byte[1])));
        assertThat(again.record.headers().add("of-a-serializer", new byte[0])).hasSize(2);
        assertThat(again.isDeadLetter).isFalse();
    }

    @Test
    void inputOfOne_isKnownAfterItsClaimHasEnded_andIsNotFinishedAgain() {
        source.retain(token, 1);
        TransactionRecord<String, String> kept = kept(source, token, true, true);
        source.ack(token);
        TransactionRecord<String, String> again = kept.again();
        again.target.ack(again.token);
        assertThat(source.isDone(token)).isFalse();
        assertThat(roots(again)).containsExactly(new Root(source, token));
        assertThat(again.target.placeOf(again.token)).isEqualTo("in-0@5");
        assertThat(TransactionRule.places(again.target, again.token)).containsExactly("in-0@5");
        assertThat(again.isDeadLetter).isTrue();
    }

    /** The run may fail on a record that is refused only after an abort. */
    @Test
    void inputOfOne_isNamedAfterAnAbort_evenWithoutARule() {
        TransactionRecord<String, String> kept = kept(source, token, false, false);
        source.ack(token);
        assertThat(kept.again().place()).isEqualTo("in-0@5");
    }

    /** Creates a target that may forget its inputs after its last acknowledgement. */
    private static AckTarget group(boolean[] ended, Root... of) {
        return new AckTarget() {
            @Override
            public void ack(long ofGroup) {
                ended[0] = true;
            }

            @Override
            public void retain(long ofGroup, int claims) {}

            @Override
            public void roots(long ofGroup, RootVisitor visitor) {
                assertThat(ended[0]).isFalse();
                for (Root root : of) {
                    visitor.root(root.source(), root.token());
                }
            }
        };
    }

    @Test
    void inputsOfAGroup_areKnownAfterItsClaimHasEnded() {
        long second = source.append(6, 1);
        boolean[] ended = {false};
        AckTarget group = group(ended, new Root(source, token), new Root(source, second));
        TransactionRecord<String, String> kept = kept(group, 0, false, true);
        TransactionRecord<String, String> next = kept(group, 0, false, true);
        group.ack(0);
        TransactionRecord<String, String> again = kept.again();
        assertThat(roots(again)).containsExactly(new Root(source, token), new Root(source, second));
        assertThat(again.target.placeOf(again.token)).isEqualTo("in-0@5 and 1 more");
        assertThat(next.again().target).as("shared").isSameAs(again.target);
        TransactionRecord<String, String> twice = kept(again.target, again.token, false, false);
        assertThat(twice.again().target).isSameAs(again.target);
    }

    @Test
    void elementOfNoInput_isKept() {
        TransactionRecord<String, String> again =
                kept(AckTarget.NONE, 0, false, true).again();
        assertThat(again.target).isSameAs(AckTarget.NONE);
        assertThat(roots(again)).isEmpty();
    }
}
