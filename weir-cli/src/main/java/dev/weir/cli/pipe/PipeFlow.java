package dev.weir.cli.pipe;

import dev.weir.cli.pipe.PipeOptions.Via;
import dev.weir.examples.asimov.AsimovRecords;
import dev.weir.examples.asimov.AsimovTranslator;
import dev.weir.examples.asimov.Malformed;
import dev.weir.examples.asimov.Translation;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ExactlyOnceFlow;
import dev.weir.kafka.HandledRecords;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RecordOrdering;
import dev.weir.kafka.ShareSettings;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.deadletter.DeadLetterHandle;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.spi.OfRecord;
import dev.weir.stream.Backoff;
import dev.weir.stream.Handler;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Source;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The pipeline of {@code weir pipe}: its stages and their threads. Its functions are thread-safe; close it after the
 * pipeline has ended.
 *
 * <pre>
 *   with retries, timeout, dead-letter records or each: consume -> handle -> produce, see {@link KafkaFlow}; else
 *   consume -> [work: waits, concurrent, in the requested order] -> [cpu: computes, parallel, in input order]
 *           -> identity | asimov (with cpu) | exec: send -> process -> receive, one after the other
 *           -> produce
 * </pre>
 */
final class PipeFlow implements AutoCloseable {

    static final int DEFAULT_BLOCKING = 16;

    static final int DEFAULT_LINES = 1024;

    /** Maximum number of records committed before a stage has pulled them, with {@code --guarantee at-most-once}. */
    static final int COMMIT_AHEAD = 1_000;

    private static final int MAX_WORKERS = 1024;

    private static final Backoff RETRY_BACKOFF = Backoff.between(Duration.ofMillis(100), Duration.ofSeconds(10));

    private final PipeOptions options;
    private final PipeRecords records;
    private final @Nullable LineProcess process;
    private final LongAdder deadLettersMade = new LongAdder();
    private final LongAdder deadLettersWritten = new LongAdder();
    private final HandlerTimes times = new HandlerTimes();

    PipeFlow(PipeOptions options) {
        this.options = options;
        this.records = new PipeRecords(options.to, options.deadLetter);
        this.process = options.via instanceof Via.Exec exec
                ? LineProcess.start(exec.command(), options.concurrencyOr(DEFAULT_LINES))
                : null;
    }

    /**
     * Returns the number of dead-letter records for the output stage. With transactions, counts only committed records.
     * Otherwise, includes records that the stage has not written yet.
     */
    long deadLettersMade() {
        return deadLettersMade.sum();
    }

    /** Returns the number of dead-letter records that the output stage has written, or committed with transactions. */
    long deadLettersInOutput() {
        return deadLettersWritten.sum();
    }

    /** Number of dead-letter records written by other stages than the output stage. */
    long deadLettersElsewhere(RunningPipeline running) {
        return running.handles(DeadLetterHandle.class).stream()
                .mapToLong(DeadLetterHandle::written)
                .sum();
    }

    long deadLettered(RunningPipeline running) {
        return deadLettersInOutput() + deadLettersElsewhere(running);
    }

    /** Returns the number of dead-letter records written without their value. */
    long deadLettersCut(RunningPipeline running) {
        return running.handles(DeadLetterHandle.class).stream()
                .mapToLong(DeadLetterHandle::cut)
                .sum();
    }

    Pipeline pipeline(ConsumerSettings<byte[], byte[]> consumer, ProducerSettings<byte[], byte[]> producer) {
        Subscription topics = Subscription.topics(options.from);
        topics = options.untilEnd ? topics.untilEnd() : topics;
        if (options.isExactlyOnce()) {
            return exactlyOnce(KafkaSource.from(consumer, topics).exactlyOnce(), producer)
                    .named("pipe");
        }
        if (options.handlesOneByOne()) {
            return perRecord(KafkaFlow.from(consumer, topics), producer).named("pipe");
        }
        Source<ConsumerRecord<byte[], byte[]>> consumed = options.isAtMostOnce()
                ? KafkaSource.from(consumer, topics).atMostOnce(COMMIT_AHEAD)
                : KafkaSource.from(consumer, topics).atLeastOnce();
        return counted(via(worked(consumed)))
                .to(KafkaSink.with(producer).records())
                .named("pipe");
    }

    Pipeline pipeline(ShareSettings<byte[], byte[]> member, ProducerSettings<byte[], byte[]> producer) {
        if (options.isPerRecord()) {
            var handled = KafkaFlow.shared(member, options.from)
                    .handle(options.workers(), ordering(), times.timed(this::workOn));
            return withRules(handled, topic -> DeadLetterTopic.of(topic, member.producerSettings(), options.group))
                    .produceTo(producer, record -> record)
                    .named("pipe");
        }
        int workers = options.work.isPositive()
                ? options.workers().max()
                : options.concurrencyOr(Runtime.getRuntime().availableProcessors());
        Source<ConsumerRecord<byte[], byte[]>> consumed = KafkaSource.shared(
                        member.toBuilder().workers(workers).build(), options.from)
                .map(record -> record);
        return counted(via(worked(consumed)))
                .to(KafkaSink.with(producer).records())
                .named("pipe");
    }

    /**
     * Returns the measured times of the handlers. Only a pipe on a share group measures them, for handlers that wait
     * ({@code --work}) or process each record separately.
     */
    HandlerTimes times() {
        return times;
    }

    private Source<ConsumerRecord<byte[], byte[]>> worked(Source<ConsumerRecord<byte[], byte[]>> consumed) {
        if (!options.work.isPositive()) {
            return consumed;
        }
        long nanos = options.work.toNanos();
        Handler<ConsumerRecord<byte[], byte[]>, ConsumerRecord<byte[], byte[]>> work = record -> {
            block(nanos);
            return record;
        };
        return consumed.mapBlocking(options.workers(), ordering(), options.sharing.share ? times.timed(work) : work)
                .named("work");
    }

    /** Returns a pipeline with the same stages, whose sink writes and commits in transactions. */
    private Pipeline exactlyOnce(ExactlyOnceFlow<byte[], byte[]> flow, ProducerSettings<byte[], byte[]> producer) {
        ExactlyOnceFlow<byte[], byte[]> timed =
                options.commitInterval == null ? flow : flow.commitInterval(options.commitInterval);
        String deadLetters = options.deadLetter;
        // Count dead-letter records at the commit. The inputs of an aborted transaction are read and counted again.
        ExactlyOnceFlow<byte[], byte[]> counted = deadLetters == null
                ? timed
                : timed.whenCommitted(records -> {
                    long committed = records.stream()
                            .filter(each -> each.topic().equals(deadLetters))
                            .count();
                    deadLettersMade.add(committed);
                    deadLettersWritten.add(committed);
                });
        return counted.produceTo(
                producer,
                consumed -> options.handlesOneByOne()
                        ? consumed.mapBlocking(options.workers(), ordering(), this::workOn)
                                .named("handle")
                        : via(worked(consumed)));
    }

    /**
     * Returns a pipeline with one handler for all work on a record. A failing record can then be retried or written to
     * the dead-letter topic alone.
     */
    private Pipeline perRecord(KafkaFlow<byte[], byte[]> flow, ProducerSettings<byte[], byte[]> producer) {
        var handled = flow.handle(options.handlers(), ordering(), this::workOn);
        return withRules(handled, topic -> DeadLetterTopic.of(topic, flow.settings()))
                .produceTo(producer, record -> record);
    }

    private <R, F extends HandledRecords<byte[], byte[], R, F>> F withRules(
            F flow, Function<String, DeadLetterTopic> deadLetters) {
        F handled = flow;
        if (options.retry != null) {
            handled = handled.retry(RetryPolicy.of(options.retry + 1, RETRY_BACKOFF));
        }
        if (options.timeout != null) {
            handled = handled.timeout(options.timeout);
        }
        if (options.deadLetter != null) {
            handled = handled.deadLetter(deadLetters
                    .apply(options.deadLetter)
                    .whenTooLarge(
                            options.tooLargeDeadLetters == PipeOptions.TooLarge.fail
                                    ? DeadLetterTopic.TooLarge.FAIL
                                    : DeadLetterTopic.TooLarge.CUT));
        }
        return handled;
    }

    private ProducerRecord<byte[], byte[]> workOn(ConsumerRecord<byte[], byte[]> record) throws Exception {
        block(options.work.toNanos());
        ConsumerRecord<byte[], byte[]> spun = spin(options.workCpu.toNanos(), record);
        if (!(options.via instanceof Via.Each each)) {
            return records.passOn(spun);
        }
        byte[] value = spun.value();
        if (value == null) {
            throw new LineProcessException(PipeRecords.name(spun) + " cannot go through each: it has no value");
        }
        try {
            return records.passOn(spun, EachProcess.run(each.command(), value));
        } catch (LineProcessException failure) {
            // The headers of a dead-letter record name the original. Otherwise, the failure must name it.
            throw options.deadLetter == null ? failure.of(spun) : failure;
        } catch (IOException notStarted) {
            throw new LineProcessException("the command cannot be started: " + notStarted.getMessage()).of(spun);
        }
    }

    private Ordering<ConsumerRecord<byte[], byte[]>> ordering() {
        if (!options.mayReorder()) {
            return Ordering.input();
        }
        return switch (options.ordering == null ? PipeOptions.Order.key : options.ordering) {
            case partition -> RecordOrdering.byPartition();
            case key -> RecordOrdering.byKey();
            case unordered -> Ordering.unordered();
        };
    }

    private Source<ProducerRecord<byte[], byte[]>> via(Source<ConsumerRecord<byte[], byte[]>> consumed) {
        long spinNanos = options.workCpu.toNanos();
        int workers =
                Math.min(MAX_WORKERS, options.concurrencyOr(Runtime.getRuntime().availableProcessors()));
        return switch (options.via) {
            case Via.Identity ignored when spinNanos == 0 -> consumed.map(records::passOn);
            case Via.Identity ignored ->
                consumed.mapParallel(workers, record -> records.passOn(spin(spinNanos, record)))
                        .named("work-cpu");
            case Via.Asimov ignored -> {
                AsimovTranslator translator = new AsimovTranslator();
                yield consumed.mapParallel(workers, record -> translate(translator, spin(spinNanos, record)))
                        .named("asimov");
            }
            case Via.Each ignored -> throw new IllegalStateException("a handler of its own does that");
            case Via.Exec ignored when spinNanos == 0 -> throughProcess(consumed);
            case Via.Exec ignored ->
                throughProcess(consumed.mapParallel(workers, record -> spin(spinNanos, record))
                        .named("work-cpu"));
        };
    }

    /** Returns a source with one worker that sends lines and one that receives answers, in input order. */
    private Source<ProducerRecord<byte[], byte[]>> throughProcess(Source<ConsumerRecord<byte[], byte[]>> consumed) {
        LineProcess lines = Objects.requireNonNull(process);
        return consumed.mapBlocking(record -> send(lines, record))
                .named("exec-send")
                .mapBlocking(Sent::receive)
                .named("exec");
    }

    private ProducerRecord<byte[], byte[]> translate(
            AsimovTranslator translator, ConsumerRecord<byte[], byte[]> record) {
        Translation translation = translator.translate(record.value());
        if (translation instanceof Malformed) {
            countDeadLetter();
        }
        return AsimovRecords.toProduce(record, translation, options.to, Objects.requireNonNull(options.deadLetter));
    }

    /** A record after the sending stage: its line is in flight, or it could not be sent as a line. */
    private record Sent(ConsumerRecord<byte[], byte[]> raw, Result result) implements OfRecord {

        interface Result {
            ProducerRecord<byte[], byte[]> await() throws InterruptedException;
        }

        ProducerRecord<byte[], byte[]> receive() throws InterruptedException {
            return result.await();
        }
    }

    private Sent send(LineProcess lines, ConsumerRecord<byte[], byte[]> record) throws InterruptedException {
        String refusal = LineProcess.refusal(record.value());
        if (refusal == null) {
            LineProcess.Answer answer = lines.send(record.value());
            return new Sent(record, () -> {
                try {
                    return records.passOn(record, answer.await());
                } catch (LineProcessException failure) {
                    throw failure.of(record);
                }
            });
        }
        if (options.deadLetter == null) {
            throw new LineProcessException(PipeRecords.name(record) + " cannot go through exec: " + refusal
                    + "; --dead-letter TOPIC lets the others pass");
        }
        countDeadLetter();
        ProducerRecord<byte[], byte[]> deadLetter = records.deadLetter(record, "NOT_A_LINE", refusal);
        return new Sent(record, () -> deadLetter);
    }

    private void countDeadLetter() {
        if (!options.isExactlyOnce()) {
            deadLettersMade.increment();
        }
    }

    /** Adds a stage that counts written dead-letter records, if the pipe may write any. */
    private Source<ProducerRecord<byte[], byte[]>> counted(Source<ProducerRecord<byte[], byte[]>> output) {
        String topic = options.deadLetter;
        return topic == null
                ? output
                : output.stage(
                        PipeSummary.DEAD_LETTER_COUNT,
                        (upstream, context) ->
                                new DeadLetterCount(upstream, context.meter(), topic, deadLettersWritten));
    }

    private static void block(long nanos) throws InterruptedException {
        long endNanos = System.nanoTime() + nanos;
        long left;
        while ((left = endNanos - System.nanoTime()) > 0) {
            LockSupport.parkNanos(left);
            if (Thread.interrupted()) {
                throw new InterruptedException("stopped at work");
            }
        }
    }

    private static <T> T spin(long nanos, T element) {
        long endNanos = System.nanoTime() + nanos;
        while (System.nanoTime() - endNanos < 0) {
            Thread.onSpinWait();
        }
        return element;
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
    }
}
