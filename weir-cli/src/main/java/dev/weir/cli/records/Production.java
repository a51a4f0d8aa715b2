package dev.weir.cli.records;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weir.cli.records.RecordInput.KeyValue;
import dev.weir.command.client.ClientFault;
import dev.weir.command.terminal.CliFailure;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * One run of {@code weir produce}. {@link #run} may block forever in reading the input, on its own thread. Any thread
 * may stop the run and read the counts. The counts are final once the producer is closed.
 */
final class Production implements Runnable {

    private final RecordInput input;
    private final Producer<byte[], byte[]> producer;
    private final String topic;
    private final List<Header> headers;

    private final long startNanos = System.nanoTime();
    private final LongAdder unanswered = new LongAdder();
    private final LongAdder records = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final AtomicReference<@Nullable CliFailure> failure = new AtomicReference<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    Production(RecordInput input, Producer<byte[], byte[]> producer, String topic, List<Header> headers) {
        this.input = input;
        this.producer = producer;
        this.topic = topic;
        this.headers = headers;
    }

    /** Completes at the end of the input, on a failure, or on a stop: no more records are sent. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    void stop() {
        ended.complete(null);
    }

    @Override
    public void run() {
        try {
            sendAll();
        } catch (CliFailure known) {
            fail(known);
        } catch (Throwable unforeseen) {
            fail(CliFailure.unexpected(unforeseen));
        } finally {
            stop();
        }
    }

    private void sendAll() {
        for (long number = 1; ; number++) {
            KeyValue next;
            try {
                next = input.next();
            } catch (IOException e) {
                throw CliFailure.work(
                        "cannot read " + input.place(number) + ": " + CliFailure.reason(e),
                        "The lines before it were written.",
                        e);
            }
            if (next == null || ended.isDone()) {
                return;
            }
            send(next, number);
        }
    }

    private void send(KeyValue next, long number) {
        int size = next.value().length + (next.key() == null ? 0 : next.key().length);
        try {
            var unused = producer.send(
                    new ProducerRecord<>(topic, null, next.key(), next.value(), headers), (metadata, refusal) -> {
                        unanswered.decrement();
                        if (refusal == null) {
                            records.increment();
                            bytes.add(size);
                        } else {
                            fail(refused(number, refusal));
                        }
                    });
            // Count only now, because send() throws if the producer is closed. The callback may have run already.
            unanswered.increment();
        } catch (KafkaException refusal) {
            throw refused(number, refusal);
        } catch (IllegalStateException closed) {
            // Expected after a stop, which closes the producer.
            if (!ended.isDone()) {
                throw closed;
            }
        }
    }

    private CliFailure refused(long number, Exception refusal) {
        return CliFailure.work(
                input.place(number) + " cannot be written to " + topic + ": " + ClientFault.withCause(refusal),
                refusal instanceof RecordTooLargeException
                        ? "Raise max.request.size in --client-config, or max.message.bytes of the topic."
                        : "The summary counts the records that the brokers acknowledged.",
                refusal);
    }

    private void fail(CliFailure reason) {
        failure.compareAndSet(null, reason);
        stop();
    }

    @Nullable
    CliFailure failure() {
        return failure.get();
    }

    private double seconds() {
        return Math.max(1, System.nanoTime() - startNanos) / 1e9;
    }

    String text() {
        double seconds = seconds();
        return String.format(
                Locale.ROOT,
                "%,d records, %,d bytes to %s in %.1f s: %,.0f/s",
                records.sum(),
                bytes.sum(),
                topic,
                seconds,
                records.sum() / seconds);
    }

    void write(JsonGenerator line) throws IOException {
        line.writeNumberField("records", records.sum());
        line.writeNumberField("bytes", bytes.sum());
        line.writeNumberField("records_per_second", Math.round(records.sum() / seconds() * 10) / 10.0);
        CliFailure reason = failure.get();
        if (reason != null) {
            line.writeStringField("error", reason.getMessage());
        }
    }

    /** Waits up to {@code patience} for the answers to all sent records. The run fails if an answer is missing. */
    void close(Duration patience) {
        producer.close(patience);
        long lost = unanswered.sum();
        // The client's thread has died and will run no more callbacks.
        if (lost > 0) {
            fail(CliFailure.work(
                    lost + (lost == 1 ? " record" : " records") + " to " + topic + " got no answer and may be missing",
                    "Look at the end of the topic with weir consume. --verbose shows the client's log."));
        }
    }
}
