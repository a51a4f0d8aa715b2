package dev.weir.cli.tune;

import dev.weir.command.terminal.CliFailure;
import dev.weir.console.tune.Tuner;
import dev.weir.examples.asimov.AsimovLookups;
import dev.weir.examples.asimov.AsimovPipeline;
import dev.weir.examples.asimov.EventGenerator;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ProducerSettings;
import dev.weir.stream.Dispatchers;
import dev.weir.stream.Pipeline;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A pipeline to tune: its first draft, and the changes that a tuner may try. Thread-safe. */
interface Example extends AutoCloseable {

    /** Describes the first draft for people, without a full stop. */
    String draft();

    EventGenerator traffic(long seed);

    /** The stages that the tuner may give more workers. */
    List<String> stages();

    /** Adds the example's alternative code to the tuner. By default, an example has none. */
    default void alternatives(Tuner.Builder tuner) {}

    /**
     * Returns the pipeline with these settings, as if they were written in its code.
     *
     * @param settings values by the key of a control; a missing control keeps the value of the first draft
     */
    Pipeline pipeline(
            Map<String, Long> settings,
            ConsumerSettings.Builder<byte[], byte[]> consumer,
            ProducerSettings.Builder<byte[], byte[]> producer);

    /** Returns the first draft without its simulated wait times. Its outputs serve as the reference. */
    Pipeline reference(
            ConsumerSettings.Builder<byte[], byte[]> consumer, ProducerSettings.Builder<byte[], byte[]> producer);

    @Override
    default void close() {}

    /** Returns each stage's number of workers; 1 if {@code settings} lacks it. */
    private static Map<String, Integer> workers(List<String> stages, Map<String, Long> settings) {
        return stages.stream()
                .collect(Collectors.toMap(
                        Function.identity(),
                        stage -> Math.toIntExact(settings.getOrDefault("stage." + stage + ".parallelism", 1L))));
    }

    private static void apply(Map<String, Long> settings, ConsumerSettings.Builder<byte[], byte[]> consumer) {
        Long window = settings.get("source.maxOutstandingRecords");
        if (window != null) {
            consumer.maxOutstandingRecords(Math.toIntExact(window));
        }
        Long bytes = settings.get("source.bufferBytes");
        if (bytes != null) {
            consumer.bufferBytes(bytes);
        }
    }

    static Example computing() {
        return new Computing();
    }

    /**
     * Returns the {@link Waiting} example, in which two steps wait for a service.
     *
     * @param environment the process environment, which may override the settings of the dispatcher
     */
    static Example waiting(Map<String, String> environment) {
        try {
            return new Waiting(environment);
        } catch (IllegalArgumentException e) {
            // An environment variable has an unknown key or an invalid value.
            throw CliFailure.usage(String.valueOf(e.getMessage()), "");
        }
    }

    /** An example whose steps only compute. Three of its steps have alternative code. */
    final class Computing implements Example {

        /** Median size of a page's payload. With smaller payloads, half of the work would be the broker's. */
        private static final int MEDIAN_PAYLOAD_CHARS = 3_000;

        private final MixedSteps steps = new MixedSteps();

        private Computing() {}

        @Override
        public String draft() {
            return "a JSON tree, java.net.URI, LZ-string as in JavaScript, one worker each";
        }

        @Override
        public EventGenerator traffic(long seed) {
            return new EventGenerator(seed, MEDIAN_PAYLOAD_CHARS);
        }

        @Override
        public List<String> stages() {
            return List.of(Step.JSON.stage, Step.URL.stage, Step.LZ.stage, "encode");
        }

        @Override
        public void alternatives(Tuner.Builder tuner) {
            for (Step step : Step.values()) {
                tuner.alternative(step.stage, today -> steps.use(step, today));
            }
        }

        @Override
        public Pipeline pipeline(
                Map<String, Long> settings,
                ConsumerSettings.Builder<byte[], byte[]> consumer,
                ProducerSettings.Builder<byte[], byte[]> producer) {
            apply(settings, consumer);
            return AsimovPipeline.of(
                    steps, workers(stages(), settings), consumer.build(), producer.build(), malformed -> {});
        }

        @Override
        public Pipeline reference(
                ConsumerSettings.Builder<byte[], byte[]> consumer, ProducerSettings.Builder<byte[], byte[]> producer) {
            return AsimovPipeline.of(
                    new MixedSteps(), workers(stages(), Map.of()), consumer.build(), producer.build(), malformed -> {});
        }
    }

    /** An example with two steps that wait for a service. They run on a dispatcher configured in a file. */
    final class Waiting implements Example {

        private static final long ANSWER_MILLIS = 5;

        /** The draft's limit on records in flight, sufficient for one worker. */
        private static final int OUTSTANDING_RECORDS = 64;

        private static final String FILE = "dispatchers.properties";
        private static final String DISPATCHER = "lookups";
        private static final String VARIABLES = "WEIR_DISPATCHER_LOOKUPS_";

        private final Dispatchers dispatchers;

        private Waiting(Map<String, String> environment) {
            this.dispatchers = Dispatchers.parse(
                    FILE,
                    text(),
                    environment.entrySet().stream()
                            .filter(variable -> variable.getKey().startsWith(VARIABLES))
                            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
        }

        private static String text() {
            try (InputStream file =
                    Objects.requireNonNull(Example.class.getResourceAsStream(FILE), FILE + " is not in the jar")) {
                return new String(file.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public String draft() {
            return String.format(
                    Locale.ROOT, "two steps that wait %d ms each for a service, one worker each", ANSWER_MILLIS);
        }

        @Override
        public EventGenerator traffic(long seed) {
            return new EventGenerator(seed);
        }

        @Override
        public List<String> stages() {
            return List.of(AsimovLookups.CUSTOMER, AsimovLookups.CONSENT);
        }

        @Override
        public Pipeline pipeline(
                Map<String, Long> settings,
                ConsumerSettings.Builder<byte[], byte[]> consumer,
                ProducerSettings.Builder<byte[], byte[]> producer) {
            consumer.maxOutstandingRecords(OUTSTANDING_RECORDS);
            apply(settings, consumer);
            return pipeline(ANSWER_MILLIS, settings, consumer, producer);
        }

        @Override
        public Pipeline reference(
                ConsumerSettings.Builder<byte[], byte[]> consumer, ProducerSettings.Builder<byte[], byte[]> producer) {
            return pipeline(0, Map.of(), consumer, producer);
        }

        private Pipeline pipeline(
                long answerMillis,
                Map<String, Long> settings,
                ConsumerSettings.Builder<byte[], byte[]> consumer,
                ProducerSettings.Builder<byte[], byte[]> producer) {
            return AsimovLookups.simulated(answerMillis)
                    .pipeline(
                            workers(stages(), settings),
                            dispatchers.get(DISPATCHER),
                            consumer.build(),
                            producer.build(),
                            malformed -> {});
        }

        @Override
        public void close() {
            dispatchers.close();
        }
    }
}
