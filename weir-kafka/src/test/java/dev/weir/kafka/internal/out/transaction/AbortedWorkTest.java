package dev.weir.kafka.internal.out.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

/** Tests the records and sources of aborted transactions. */
class AbortedWorkTest {

    private final AbortedWork<String, String> work = new AbortedWork<>(true);
    private final OffsetTracker source = new OffsetTracker(10, () -> {});

    private OpenTransaction<String, String> aborted(String... values) {
        TransactionalProducer<String, String> producer = TransactionalProducer.ofRun(
                () -> new MockProducer<>(true, null, new StringSerializer(), new StringSerializer()),
                () -> false,
                time -> {});
        OpenTransaction<String, String> transaction = new OpenTransaction<>(producer, 0, (of, why) -> {}, false, true);
        for (String value : values) {
            long token = source.append(source.outstanding(), 1);
            Objects.requireNonNull(transaction.kept)
                    .add(new TransactionRecord<>(
                            new ProducerRecord<>("out", value), new Header[0], source, token, false));
        }
        return transaction;
    }

    private List<String> waiting() {
        return work.waiting().stream().map(element -> element.record.value()).toList();
    }

    @Test
    void abortedRecords_areWrittenAgainInOrder_andBeforeThoseThatWaitAlready() {
        work.add(aborted("c", "d"));
        work.resume(true);
        assertThat(waiting()).containsExactly("c", "d");
        work.add(aborted("a"));
        work.add(aborted("b"));
        work.resume(true);
        assertThat(waiting()).containsExactly("a", "b", "c", "d");
        work.done(Objects.requireNonNull(work.next()));
        assertThat(waiting()).containsExactly("b", "c", "d");
    }

    /** If the inputs are read again, the kept records must not be written as well. */
    @Test
    void recordsThatWait_areForgotten_whenTheirInputsAreReadAgain() {
        work.add(aborted("a"));
        work.resume(true);
        assertThat(work.isWaiting()).isTrue();
        work.readAgain();
        work.add(aborted("b"));
        assertThat(work.mayWriteAgain()).isFalse();
        work.resume(false);
        assertThat(work.isWaiting()).isFalse();
        assertThat(work.next()).isNull();
        assertThat(work.mayWriteAgain()).as("the next time").isTrue();
    }

    @Test
    void recordsThatAreNotKept_areReadAgain() {
        assertThat(new AbortedWork<String, String>(false).mayWriteAgain()).isFalse();
    }

    @Test
    void sourceOfALostElement_isLost_untilTheAbortIsOver() {
        work.readAgain(source);
        assertThat(work.isLost(source)).isTrue();
        assertThat(work.mayWriteAgain()).isFalse();
        work.resume(false);
        assertThat(work.isLost(source)).isFalse();
    }
}
