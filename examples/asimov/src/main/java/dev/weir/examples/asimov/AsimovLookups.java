package dev.weir.examples.asimov;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.stream.Attributes;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.Source;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The application in {@link AsimovPipeline} with two more blocking steps in front. For each event, one service returns
 * the customer of its session, and another one the session's consent. Both become headers of the output. Immutable,
 * thread-safe.
 *
 * @param customer returns the customer of a session; may block
 * @param consent returns the consent of a session; may block
 */
public record AsimovLookups(UnaryOperator<byte[]> customer, UnaryOperator<byte[]> consent) {
    /** The name of the first step. Its last word is also the name of the header with the customer. */
    public static final String CUSTOMER = "look up customer";
    /** The name of the second step. Its last word is also the name of the header with the consent. */
    public static final String CONSENT = "look up consent";

    /** Returns services that answer after {@code millis}, with a different answer for each session. */
    public static AsimovLookups simulated(long millis) {
        return new AsimovLookups(
                session -> answer("customer", session, millis), session -> answer("consent", session, millis));
    }

    private static byte[] answer(String service, byte[] session, long millis) {
        try {
            boolean ignored = new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the " + service + " service was not waited for", e);
        }
        return (service + "-" + Integer.toHexString(Arrays.hashCode(session))).getBytes(UTF_8);
    }

    /**
     * Returns the pipeline's blueprint.
     *
     * @param threads the number of concurrent calls by name of the step. The calls run on threads of
     *     {@code dispatcher}. A step without a number shares a thread with other steps.
     */
    public Pipeline pipeline(
            Map<String, Integer> threads,
            Dispatcher dispatcher,
            ConsumerSettings<byte[], byte[]> consumer,
            ProducerSettings<byte[], byte[]> producer,
            Consumer<? super Malformed> onMalformed) {
        Source<ConsumerRecord<byte[], byte[]>> events =
                KafkaSource.from(consumer, AsimovPipeline.EVENTS).atLeastOnce();
        events = asked(events, CUSTOMER, customer, threads, dispatcher);
        events = asked(events, CONSENT, consent, threads, dispatcher);
        return AsimovPipeline.ended(
                AsimovPipeline.translated(new AsimovTranslator(), Map.of(), events), producer, onMalformed);
    }

    private static Source<ConsumerRecord<byte[], byte[]>> asked(
            Source<ConsumerRecord<byte[], byte[]>> events,
            String step,
            UnaryOperator<byte[]> service,
            Map<String, Integer> threads,
            Dispatcher dispatcher) {
        Integer concurrency = threads.get(step);
        return (concurrency == null
                        ? events.map(event -> with(event, step, service))
                        : events.mapBlocking(concurrency, Ordering.input(), event -> with(event, step, service))
                                .with(Attributes.NONE.withDispatcher(dispatcher)))
                .named(step);
    }

    private static ConsumerRecord<byte[], byte[]> with(
            ConsumerRecord<byte[], byte[]> event, String step, UnaryOperator<byte[]> service) {
        String header = step.substring(step.lastIndexOf(' ') + 1);
        event.headers().remove(header).add(header, service.apply(event.key()));
        return event;
    }
}
