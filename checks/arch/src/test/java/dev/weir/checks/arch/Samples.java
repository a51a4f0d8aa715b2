package dev.weir.checks.arch;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.util.TokenBuffer;
import dev.weir.console.ConsoleServer;
import dev.weir.console.ControlReport;
import dev.weir.console.FleetConsole;
import dev.weir.console.RunConsole;
import dev.weir.console.profile.Profiler;
import dev.weir.jdbc.JdbcOffsets;
import dev.weir.kafka.CircuitBreaker;
import dev.weir.kafka.ConsumerDump;
import dev.weir.kafka.ConsumerHealth;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ConsumerSnapshot;
import dev.weir.kafka.Decoded;
import dev.weir.kafka.ExactlyOnceFlow;
import dev.weir.kafka.FailureAction;
import dev.weir.kafka.HandledFlow;
import dev.weir.kafka.HandledRecords;
import dev.weir.kafka.HandledSharedFlow;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.MetadataClient;
import dev.weir.kafka.Position;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.RecordDecodeException;
import dev.weir.kafka.RecordDecoder;
import dev.weir.kafka.RetryTopics;
import dev.weir.kafka.ShareHandle;
import dev.weir.kafka.ShareSettings;
import dev.weir.kafka.SharedFlow;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.TransactionalSink;
import dev.weir.kafka.deadletter.DeadLetterFormat;
import dev.weir.kafka.deadletter.DeadLetterRecord;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.deadletter.FailedRecord;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.lean.KeptBatches;
import dev.weir.lean.LeanConsumer;
import dev.weir.lean.LeanProducer;
import dev.weir.lean.LeanProducerSettings;
import dev.weir.lean.LeanRecord;
import dev.weir.lean.LeanRecords;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.LeanThreads;
import dev.weir.lean.SendListener;
import dev.weir.lean.Slice;
import dev.weir.lean.StartAt;
import dev.weir.metrics.BreakerMetrics;
import dev.weir.metrics.DispatcherMetrics;
import dev.weir.metrics.KafkaClientMeters;
import dev.weir.metrics.Lever;
import dev.weir.metrics.Limiter;
import dev.weir.metrics.MachineLook;
import dev.weir.metrics.MetricsServer;
import dev.weir.metrics.PipelineLook;
import dev.weir.metrics.PipelineMetrics;
import dev.weir.stream.Attributes;
import dev.weir.stream.Backoff;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.DispatcherSnapshot;
import dev.weir.stream.Dispatchers;
import dev.weir.stream.Flow;
import dev.weir.stream.KillSwitch;
import dev.weir.stream.Ordering;
import dev.weir.stream.Parallelism;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RestartSettings;
import dev.weir.stream.ResultKey;
import dev.weir.stream.ResultSink;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.SinkQueue;
import dev.weir.stream.Source;
import dev.weir.stream.SourceQueue;
import dev.weir.stream.StageSnapshot;
import dev.weir.stream.Supervision;
import dev.weir.stream.testing.RestProbe;
import dev.weir.stream.testing.SinkProbe;
import dev.weir.stream.testing.SourceProbe;
import dev.weir.stream.testing.VirtualClock;
import dev.weir.testkit.FaultProxy;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.RebalanceSimulation;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/** Sample values for all parameter types of public methods. Confined to its test. */
final class Samples implements AutoCloseable {

    /** Valid as a name, a topic, an address and a regular expression. */
    private static final String TEXT = "localhost:9";

    private final Map<Class<?>, Object> byType = new HashMap<>();

    Samples() {
        put(Object.class, "x");
        put(String.class, TEXT);
        put(Class.class, RuntimeException.class);
        put(RuntimeException.class, new RuntimeException("a sample"));
        put(Throwable.class, new RuntimeException("a sample"));
        put(Duration.class, Duration.ofSeconds(1));
        put(Instant.class, Instant.EPOCH);
        put(Path.class, Path.of("no-such-file"));
        put(Properties.class, new Properties());
        put(Iterable.class, List.of());
        put(Collection.class, List.of());
        put(List.class, List.of());
        put(Set.class, Set.of());
        put(Map.class, Map.of("bootstrap.servers", TEXT));
        put(CompletionStage.class, CompletableFuture.completedFuture("x"));
        put(Collector.class, Collectors.toList());
        put(System.Logger.class, System.getLogger("samples"));
        put(int[].class, new int[] {1});
        put(byte[].class, new byte[] {1});
        putStream();
        putKafka();
        put(StartAt.class, StartAt.end());
        put(LeanSettings.class, LeanSettings.builder().bootstrapServers(TEXT).build());
        put(LeanConsumer.class, LeanConsumer.open(of(LeanSettings.class)));
        put(LeanSettings.Builder.class, LeanSettings.builder());
        put(
                LeanThreads.Builder.class,
                LeanThreads.builder(LeanSettings.builder()
                        .bootstrapServers("localhost:9092")
                        .build()));
        put(ByteBuffer.class, ByteBuffer.allocate(1));
        put(Slice.class, new Slice());
        put(LeanRecord.class, new LeanRecord(TEXT));
        put(LeanRecords.class, new LeanRecords());
        put(KeptBatches.class, new KeptBatches(1));
        put(
                LeanProducerSettings.class,
                LeanProducerSettings.builder().bootstrapServers("localhost:1").build());
        put(LeanProducerSettings.Builder.class, LeanProducerSettings.builder());
        put(LeanProducer.class, LeanProducer.open(of(LeanProducerSettings.class), of(SendListener.class)));
        put(FaultProxy.class, FaultProxy.to(TEXT));
        put(KafkaCluster.Builder.class, KafkaCluster.builder());
        put(RebalanceSimulation.class, RebalanceSimulation.of(kafka -> of(Pipeline.class)));
        putMetrics();
    }

    private void putMetrics() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        put(MeterRegistry.class, registry);
        put(PrometheusMeterRegistry.class, registry);
        put(PipelineMetrics.class, PipelineMetrics.of(of(RunningPipeline.class)));
        put(MachineLook.class, MachineLook.unknown(1));
        put(PipelineLook.class, PipelineLook.at(of(RunningPipeline.class), of(MachineLook.class)));
        put(
                ConsumerDump.PartitionDump.class,
                ConsumerDump.PartitionDump.builder().topic(TEXT).build());
        put(
                ConsumerDump.class,
                ConsumerDump.builder().at(Instant.EPOCH).reads(TEXT).state(TEXT).build());
        put(ConsumerSnapshot.class, ConsumerSnapshot.of(List.of(), 0, 0, 0, 0));
        put(
                ShareHandle.Snapshot.class,
                ShareHandle.Snapshot.builder()
                        .lanes(1)
                        .pollRecords(1)
                        .workers(1)
                        .limit(ShareHandle.Limit.of("arrival", "group", "", "", 1))
                        .build());
        put(Limiter.class, Limiter.of(Limiter.Kind.ARRIVAL, TEXT, TEXT, TEXT, 1));
        put(Lever.class, Limiter.of(Limiter.Kind.ARRIVAL, TEXT, TEXT, TEXT, 1).lever());
        put(DispatcherMetrics.class, DispatcherMetrics.of());
        put(KafkaClientMeters.class, KafkaClientMeters.create());
        put(BreakerMetrics.class, BreakerMetrics.of(TEXT, of(CircuitBreaker.class)));
        put(MetricsServer.Builder.class, MetricsServer.builder());
        put(ConsoleServer.Builder.class, ConsoleServer.builder());
        put(Profiler.class, Profiler.create());
        put(JsonGenerator.class, new TokenBuffer(null, false));
        put(WriteFailures.class, WriteFailures.skip());
        put(ConsumerHealth.class, ConsumerHealth.of(true, true, true, TEXT, null));
        try {
            put(ConsoleServer.class, ConsoleServer.builder().start());
            put(FleetConsole.class, ConsoleServer.builder().startForFleet());
            put(
                    RunConsole.class,
                    ConsoleServer.builder().startForRuns(TEXT, wanted -> ControlReport.of(wanted, List.of())));
            put(MetricsServer.class, MetricsServer.builder().start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void putStream() {
        Pipeline pipeline = Source.empty().to(Sink.ignore());
        put(Attributes.class, Attributes.NONE);
        put(Backoff.class, Backoff.NONE);
        put(Dispatcher.class, Dispatcher.virtual());
        put(DispatcherSnapshot.class, DispatcherSnapshot.of(TEXT, Dispatcher.Kind.FIXED, 1, 0, 0, 0, 0));
        put(
                StageSnapshot.Activity.class,
                StageSnapshot.Activity.of(
                        TEXT,
                        null,
                        DispatcherSnapshot.of(TEXT, Dispatcher.Kind.FIXED, 1, 0, 0, 0, 0),
                        0,
                        0,
                        0,
                        0,
                        TEXT,
                        0));
        put(Dispatchers.class, Dispatchers.of());
        put(Flow.class, Flow.identity());
        put(KillSwitch.class, new KillSwitch());
        put(Ordering.class, Ordering.input());
        put(Parallelism.class, Parallelism.fixed(1));
        put(Pipeline.class, pipeline);
        put(RunningPipeline.class, pipeline.run());
        put(RestartSettings.class, RestartSettings.of(Backoff.NONE));
        put(RetryPolicy.class, RetryPolicy.of(1, Backoff.NONE));
        put(Sink.class, Sink.ignore());
        put(Sink.Loop.class, Sink.ignore());
        put(Sink.Lower.class, (Sink.Lower<?>) Sink.through(source -> source.to(Sink.ignore())));
        put(ResultKey.class, Sink.toList());
        put(ResultSink.class, Sink.toList());
        put(SinkQueue.class, SinkQueue.create());
        put(Source.class, Source.of("x"));
        put(SourceQueue.class, SourceQueue.of(1));
        put(Supervision.class, Supervision.skip());
        put(RestProbe.class, new RestProbe(of(RunningPipeline.class)));
        put(SinkProbe.class, new SinkProbe<>());
        put(SourceProbe.class, new SourceProbe<>());
        put(VirtualClock.class, new VirtualClock());
    }

    private void putKafka() {
        ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>(TEXT, 0, 0, new byte[0], new byte[0]);
        ConsumerSettings<byte[], byte[]> settings =
                ConsumerSettings.builder().bootstrapServers(TEXT).groupId(TEXT).build();
        Decoded.Refused<byte[], byte[]> refused =
                new Decoded.Refused<>(record, new RecordDecodeException(TEXT, 0, 0, new RuntimeException("a sample")));
        put(TopicPartition.class, new TopicPartition(TEXT, 0));
        put(Uuid.class, Uuid.ZERO_UUID);
        put(ConsumerRecord.class, record);
        put(ConsumerSettings.class, settings);
        put(ConsumerSettings.Builder.class, settings.toBuilder());
        put(ProducerSettings.class, settings.producerSettings());
        put(ProducerSettings.Builder.class, ProducerSettings.builder());
        put(Subscription.class, Subscription.topics(TEXT));
        put(Subscription.Selection.class, new Subscription.Topics(Set.of(TEXT)));
        put(Subscription.Bound.class, Subscription.Bound.NONE);
        put(Subscription.Priorities.class, Subscription.Priorities.NONE);
        put(Position.class, Position.end());
        ShareSettings<byte[], byte[]> shared =
                ShareSettings.builder().bootstrapServers(TEXT).groupId(TEXT).build();
        put(ShareSettings.class, shared);
        put(ShareSettings.Builder.class, shared.toBuilder());
        put(SharedFlow.class, KafkaFlow.shared(shared, TEXT));
        put(KafkaFlow.class, KafkaFlow.from(settings, TEXT));
        put(HandledFlow.class, KafkaFlow.from(settings, TEXT).handle(1, Ordering.input(), each -> each));
        put(HandledSharedFlow.class, KafkaFlow.shared(shared, TEXT).handle(1, Ordering.unordered(), each -> each));
        put(HandledRecords.class, of(HandledFlow.class));
        put(ExactlyOnceFlow.class, KafkaSource.from(settings, TEXT).exactlyOnce());
        put(CircuitBreaker.class, CircuitBreaker.consecutive(1, Duration.ofSeconds(1)));
        put(RetryTopics.class, RetryTopics.of(TEXT, Duration.ofSeconds(1)));
        put(FailureAction.class, FailureAction.SKIP);
        put(FailedRecord.class, FailedRecord.of(refused));
        put(Decoded.class, refused);
        put(Decoded.Refused.class, refused);
        put(DeadLetterTopic.class, DeadLetterTopic.of(TEXT, settings));
        put(DeadLetterFormat.class, DeadLetterFormat.CONNECT);
        put(DeadLetterRecord.class, deadLetter());
        put(KafkaSource.class, KafkaSource.from(settings, TEXT));
        put(KafkaSource.Views.class, KafkaSource.from(settings, TEXT).decodedBy(view -> TEXT));
        put(KafkaSink.class, KafkaSink.with(settings.producerSettings()));
        put(TransactionalSink.class, KafkaSink.with(settings.producerSettings()).transactional(TEXT));
        put(ShareHandle.Limit.class, ShareHandle.Limit.of(TEXT, TEXT, TEXT, TEXT, 1));
        put(ShareHandle.Snapshot.Builder.class, ShareHandle.Snapshot.builder());
        put(ConsumerDump.Builder.class, ConsumerDump.builder());
        put(ConsumerDump.PartitionDump.Builder.class, ConsumerDump.PartitionDump.builder());
        put(RecordDecoder.class, new RecordDecoder<>(new ByteArrayDeserializer(), new ByteArrayDeserializer()));
        put(RecordDecodeException.class, refused.cause());
        put(MetadataClient.class, MetadataClient.of(settings));
        put(JdbcOffsets.class, JdbcOffsets.of(of(DataSource.class), settings));
    }

    private static DeadLetterRecord deadLetter() {
        ConsumerRecord<byte[], byte[]> record = new ConsumerRecord<>(TEXT, 0, 0, new byte[0], new byte[0]);
        record.headers().add("__connect.errors.topic", new byte[] {'t'});
        return DeadLetterRecord.read(record);
    }

    private <T> void put(Class<T> type, T sample) {
        byType.put(type, sample);
    }

    boolean has(Class<?> type) {
        return byType.containsKey(type);
    }

    /**
     * Returns a value of {@code type}: the value in the table, 1, the first enum constant, or a stub of an interface.
     */
    <T> T of(Class<T> type) {
        Object sample = byType.get(type);
        if (sample == null) {
            sample = make(type);
        }
        @SuppressWarnings("unchecked") // each value has the type of its key; boxed values cannot be cast to primitives
        T made = (T) sample;
        return made;
    }

    private Object make(Class<?> type) {
        if (type.isPrimitive()) {
            return type == boolean.class ? (Object) false : one(type);
        }
        if (type.isEnum()) {
            return type.getEnumConstants()[0];
        }
        if (type.isArray()) {
            Object array = Array.newInstance(type.componentType(), 1);
            Array.set(array, 0, of(type.componentType()));
            return array;
        }
        if (type.isInterface() && !type.isSealed()) {
            return Proxy.newProxyInstance(Samples.class.getClassLoader(), new Class<?>[] {type}, standIn());
        }
        throw new IllegalArgumentException("Samples has no value of " + type + ": add one to the table");
    }

    private static Object one(Class<?> type) {
        if (type == int.class) {
            return 1;
        }
        if (type == long.class) {
            return 1L;
        }
        if (type == double.class) {
            return 1.0;
        }
        throw new IllegalArgumentException("Samples has no value of " + type);
    }

    /** Returns a handler that answers with its first argument, or with null. */
    private static InvocationHandler standIn() {
        return (Object proxy, Method method, @Nullable Object[] arguments) -> {
            if (method.isDefault()) {
                return InvocationHandler.invokeDefault(proxy, method, arguments);
            }
            Class<?> result = method.getReturnType();
            if (result.isPrimitive()) {
                return result == void.class ? null : result == boolean.class ? (Object) false : one(result);
            }
            return arguments != null && arguments.length > 0 && result.isInstance(arguments[0]) ? arguments[0] : null;
        };
    }

    @Override
    public void close() {
        of(MetricsServer.class).close();
        of(ConsoleServer.class).close();
        of(RunConsole.class).close();
        of(FleetConsole.class).close();
        of(LeanConsumer.class).close();
        of(MetadataClient.class).close();
        of(JdbcOffsets.class).close();
        of(FaultProxy.class).close();
        of(RunningPipeline.class).close();
    }
}
