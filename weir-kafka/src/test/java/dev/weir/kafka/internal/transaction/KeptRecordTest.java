package dev.weir.kafka.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.offsets.OffsetTracker;
import dev.weir.kafka.internal.transaction.LostInputs.Root;
import dev.weir.kafka.internal.transaction.TransactionalLoop.Element;
import dev.weir.stream.spi.AckTarget;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

/** What is known of records whose claims are ended. */
class KeptRecordTest {

    private final ProducerRecord<String, String> record = new ProducerRecord<>("out", 3, 7L, "key", "value");
    private final OffsetTracker source = new OffsetTracker(10, () -> {});
    private final long token;

    KeptRecordTest() {
        source.name(new TopicPartition("in", 0));
        token = source.append(5, 1);
    }

    @SuppressWarnings("NullAway") // nothing is sent
    private final OpenTransaction<String, String> transaction =
            new OpenTransaction<>(null, 0, (refused, cause) -> {}, false, true);

    private KeptRecord<String, String> kept(AckTarget target, long ofTarget, boolean isLetter, boolean withPlaces) {
        AckTarget lasting = transaction.lasting(target, ofTarget, withPlaces);
        return new KeptRecord<>(record, KeptRecord.headers(record), lasting, ofTarget, isLetter);
    }

    private static List<Root> roots(Element<?, ?> element) {
        List<Root> roots = new ArrayList<>();
        element.target.roots(element.token, (of, ofToken) -> roots.add(new Root(of, ofToken)));
        return roots;
    }

    @Test
    void again_isTheRecordAsItWas_whateverASerializerHasAdded() {
        record.headers().add("own", new byte[1]);
        KeptRecord<String, String> kept = kept(source, token, false, false);
        record.headers().add("of-a-serializer", new byte[0]);
        ((RecordHeaders) record.headers()).setReadOnly();
        Element<String, String> again = kept.again();
        assertThat(again.record)
                .isEqualTo(new ProducerRecord<>(
                        "out", 3, 7L, "key", "value", new RecordHeaders().add("own", new byte[1])));
        assertThat(again.record.headers().add("of-a-serializer", new byte[0])).hasSize(2);
        assertThat(again.isLetter).isFalse();
    }

    @Test
    void inputOfOne_isKnownAfterItsClaimHasEnded_andIsNotFinishedAgain() {
        source.retain(token, 1);
        KeptRecord<String, String> kept = kept(source, token, true, true);
        source.ack(token);
        Element<String, String> again = kept.again();
        again.target.ack(again.token);
        assertThat(source.isDone(token)).isFalse();
        assertThat(roots(again)).containsExactly(new Root(source, token));
        assertThat(again.target.placeOf(again.token)).isEqualTo("in-0@5");
        assertThat(TransactionRule.places(again.target, again.token)).containsExactly("in-0@5");
        assertThat(again.isLetter).isTrue();
    }

    /** A target that may forget them with its last claim. */
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
        KeptRecord<String, String> kept = kept(group, 0, false, true);
        KeptRecord<String, String> next = kept(group, 0, false, true);
        group.ack(0);
        Element<String, String> again = kept.again();
        assertThat(roots(again)).containsExactly(new Root(source, token), new Root(source, second));
        assertThat(again.target.placeOf(again.token)).isEqualTo("in-0@5 and 1 more");
        assertThat(next.again().target).as("shared").isSameAs(again.target);
        // Written once more, and aborted once more.
        KeptRecord<String, String> twice = kept(again.target, again.token, false, false);
        assertThat(twice.again().target).isSameAs(again.target);
    }

    @Test
    void elementOfNoInput_isKept() {
        Element<String, String> again = kept(AckTarget.NONE, 0, false, true).again();
        assertThat(again.target).isSameAs(AckTarget.NONE);
        assertThat(roots(again)).isEmpty();
    }
}
