package dev.weir.cli.replay;

import dev.weir.cli.replay.Targets.Refusal;
import dev.weir.command.client.ClientFault;
import dev.weir.command.terminal.CliFailure;
import dev.weir.kafka.deadletter.DeadLetterRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnsupportedForMessageFormatException;
import org.jspecify.annotations.Nullable;

/**
 * Sends the restored records of one poll together. Separates permanently refused records from records that another run
 * may send. Confined to one thread.
 */
final class Sending {

    /** Receives one outcome per record. */
    interface Outcomes {
        void sent();

        /** The record's topic refuses it. */
        void refused(DeadLetterRecord deadLetter, String why);
    }

    private record Underway(
            DeadLetterRecord deadLetter,
            ProducerRecord<byte[], byte[]> record,
            PartitionProgress from,
            Future<?> answer) {}

    private final KafkaProducer<byte[], byte[]> producer;
    private final Targets targets;
    private final Outcomes outcomes;
    private final List<Underway> underway = new ArrayList<>();
    private @Nullable CliFailure end;

    Sending(KafkaProducer<byte[], byte[]> producer, Targets targets, Outcomes outcomes) {
        this.producer = producer;
        this.targets = targets;
        this.outcomes = outcomes;
    }

    /**
     * Passes a record to the producer.
     *
     * @param from progress of the dead-letter record's partition, updated when the outcome is known
     */
    void add(DeadLetterRecord deadLetter, ProducerRecord<byte[], byte[]> record, PartitionProgress from) {
        underway.add(new Underway(deadLetter, record, from, send(record)));
    }

    /** Sends a record. Returns a failed future if the client throws. */
    private Future<?> send(ProducerRecord<byte[], byte[]> record) {
        try {
            return producer.send(record);
        } catch (KafkaException | IllegalArgumentException unsent) {
            return CompletableFuture.failedFuture(unsent);
        }
    }

    /** Waits until all sent records are acknowledged or refused. Returns why the run must end; null to continue. */
    @Nullable
    CliFailure finish() {
        producer.flush();
        for (Underway each : underway) {
            settle(each);
        }
        return end;
    }

    private void settle(Underway each) {
        Throwable failure = failure(each.answer);
        // All records of a batch fail together. Send this record alone, to see whether it caused the failure.
        if (failure != null && end == null && !isLate(failure)) {
            failure = failure(send(each.record));
        }
        long offset = each.deadLetter.record().offset();
        if (failure == null) {
            outcomes.sent();
            each.from.done(offset);
            return;
        }
        Refusal refusal = refusal(each.record, failure);
        if (refusal != null) {
            outcomes.refused(each.deadLetter, refusal.why());
        }
        if (refusal != null && refusal.isFinal()) {
            each.from.done(offset);
            return;
        }
        each.from.left(offset);
        end = end == null && refusal == null ? unsent(each, failure) : end;
    }

    private static @Nullable Throwable failure(Future<?> answer) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    answer.get();
                    return null;
                } catch (ExecutionException failed) {
                    return failed.getCause() == null ? failed : failed.getCause();
                } catch (InterruptedException e) {
                    // Keep waiting despite the interrupt: the producer answers within its own timeout.
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static boolean isLate(Throwable failure) {
        return failure instanceof RetriableException;
    }

    /** Returns why this record cannot be sent; null if the failure is not specific to it. */
    private @Nullable Refusal refusal(ProducerRecord<byte[], byte[]> record, Throwable failure) {
        // The topic may have been deleted since the last check.
        if (failure instanceof TimeoutException && end == null) {
            targets.forget(record.topic());
            try {
                return targets.refusal(record.topic(), record.partition());
            } catch (CliFailure unanswered) {
                return null;
            }
        }
        boolean isDenied = failure instanceof TopicAuthorizationException;
        return isDenied || isOfRecord(failure) ? new Refusal(ClientFault.withCause(failure), !isDenied) : null;
    }

    private static boolean isOfRecord(Throwable failure) {
        return failure instanceof IllegalArgumentException
                || failure instanceof RecordTooLargeException
                || failure instanceof RecordBatchTooLargeException
                || failure instanceof InvalidRecordException
                || failure instanceof InvalidTimestampException
                || failure instanceof InvalidTopicException
                || failure instanceof PolicyViolationException
                || failure instanceof UnsupportedForMessageFormatException
                || failure instanceof SerializationException;
    }

    private static CliFailure unsent(Underway each, Throwable cause) {
        return CliFailure.work(
                "cannot send " + Replay.name(each.deadLetter) + " to " + each.record.topic() + ": "
                        + ClientFault.withCause(cause),
                "A run with --group continues there and sends nothing twice; --to sends it elsewhere, --filter leaves it out.",
                cause);
    }
}
