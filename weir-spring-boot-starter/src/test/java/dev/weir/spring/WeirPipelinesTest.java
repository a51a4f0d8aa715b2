package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerHealth;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ReusableConsumer;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Tests pipelines that do not use Kafka and are run by an application context. */
@ExtendWith(OutputCaptureExtension.class)
class WeirPipelinesTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    /** Lets the pipeline "failing" fail. */
    private static CountDownLatch mayFail = new CountDownLatch(1);

    /** Creates the failure of that pipeline. */
    private static Supplier<RuntimeException> fault = () -> new IllegalStateException("the till is broken");

    /** Opened when the pipeline "stuck" is busy. */
    private static CountDownLatch stuck = new CountDownLatch(1);

    /** Lets the pipeline "stuck" end. Until then, it ignores interrupts. */
    private static CountDownLatch mayLetGo = new CountDownLatch(1);

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    KafkaAutoConfiguration.class, WeirAutoConfiguration.class, WeirHealthAutoConfiguration.class))
            .withUserConfiguration(Endless.class);

    @Configuration(proxyBeanMethods = false)
    static class Endless {
        @Bean
        Pipeline endless() {
            return Source.never().to(Sink.ignore()).named("another name");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Failing {
        @Bean
        Pipeline failing() {
            return Source.single(1)
                    .mapBlocking(1, Ordering.input(), one -> {
                        mayFail.await();
                        throw fault.get();
                    })
                    .to(Sink.ignore());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Bounded {
        @Bean
        Pipeline bounded() {
            return Source.of(1, 2, 3).to(Sink.ignore());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Stuck {
        @Bean
        Pipeline stuck() {
            return Source.single(1)
                    .mapBlocking(1, Ordering.input(), one -> {
                        stuck.countDown();
                        awaitUninterruptibly(mayLetGo);
                        return one;
                    })
                    .named("till")
                    .to(Sink.ignore());
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) { // Ignores the interrupt.
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Steering {
        @Bean
        Pipeline steering(WeirPipelines others) {
            return Source.single(1).map(one -> others.names()).to(Sink.ignore());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Secured {
        @Bean
        Pipeline secured(WeirSettings settings) {
            return KafkaSource.from(settings.consumer().build(), "orders")
                    .atLeastOnce()
                    .to(Sink.ignore());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Reused {
        @Bean
        ReusableConsumer<byte[], byte[]> reused(WeirSettings settings) {
            return ReusableConsumer.start(settings.consumer().build(), Subscription.topics("orders"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class RefusingMeters {
        @Bean
        SimpleMeterRegistry registry() {
            SimpleMeterRegistry registry = new SimpleMeterRegistry();
            registry.config().meterFilter(new MeterFilter() {
                @Override
                public Meter.Id map(Meter.Id id) {
                    if (id.getName().startsWith("weir.")) {
                        throw new IllegalStateException("no room for " + id.getName());
                    }
                    return id;
                }
            });
            return registry;
        }
    }

    /**
     * A pipeline with two consumers: the thread of the first consumer has ended, and the second consumer is starting.
     */
    @Configuration(proxyBeanMethods = false)
    static class TwoConsumers {
        @Bean
        Pipeline twins() {
            return Source.<Integer>custom("twins", context -> {
                        context.exposeResource(consumer(false, "its thread has ended"));
                        context.exposeResource(consumer(true, "it joins its group"));
                        return new Stage<>() {
                            @Override
                            public @Nullable Batch<Integer> pull(long deadlineNanos) throws InterruptedException {
                                mayLetGo.await();
                                return null;
                            }

                            @Override
                            public void close() {}
                        };
                    })
                    .to(Sink.ignore());
        }

        private static ConsumerHandle consumer(boolean live, String reason) {
            ConsumerHealth health = ConsumerHealth.of(live, false, false, reason, null);
            return (ConsumerHandle) Proxy.newProxyInstance(
                    ConsumerHandle.class.getClassLoader(),
                    new Class<?>[] {ConsumerHandle.class},
                    (proxy, method, arguments) -> switch (method.getName()) {
                        case "health" -> health;
                        case "equals" -> proxy == arguments[0];
                        case "hashCode" -> System.identityHashCode(proxy);
                        default -> throw new UnsupportedOperationException(method.getName());
                    });
        }
    }

    /** A bean whose name follows "endless" in alphabetical order. */
    @Configuration(proxyBeanMethods = false)
    static class Unreachable {
        @Bean
        Pipeline unreachable() {
            var settings = ConsumerSettings.builder()
                    .bootstrapServers("localhost:1")
                    .groupId("g")
                    .connectTimeout(Duration.ofMillis(200))
                    .build();
            return KafkaSource.from(settings, "orders").atLeastOnce().to(Sink.ignore());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Meters {
        @Bean
        SimpleMeterRegistry registry() {
            return new SimpleMeterRegistry();
        }
    }

    @BeforeEach
    void closeLatches() {
        mayFail = new CountDownLatch(1);
        fault = () -> new IllegalStateException("the till is broken");
        stuck = new CountDownLatch(1);
        mayLetGo = new CountDownLatch(1);
    }

    private static WeirPipelines pipelines(ApplicationContext context) {
        return context.getBean(WeirPipelines.class);
    }

    private static RunningPipeline running(ApplicationContext context, String name) {
        return pipelines(context).running(name).orElseThrow();
    }

    private static Health health(ApplicationContext context, String question) {
        return Objects.requireNonNull(context.getBean("weir" + question + "HealthIndicator", HealthIndicator.class)
                .health());
    }

    @Test
    void pipeline_underTheNameOfItsBean_runsAsLongAsTheContext() {
        runner.run(context -> {
            WeirPipelines pipelines = pipelines(context);
            RunningPipeline endless = running(context, "endless");
            assertThat(pipelines.names()).containsExactly("endless");
            assertThat(endless.name()).isEqualTo("endless");
            assertThat(endless.completion()).isNotDone();
            assertThat(pipelines.isRunning()).isTrue();
            await().atMost(LONG).until(() -> keepers() == 1); // No keeper thread of an earlier test is left.

            context.close();
            assertThat(endless.completion()).isCompleted();
            assertThat(pipelines.isRunning()).isFalse();
            assertThat(pipelines.getExitCode()).isZero();
            await().atMost(LONG).until(() -> keepers() == 0);
        });
    }

    private static long keepers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("weir-pipelines") && !thread.isDaemon())
                .count();
    }

    @Test
    void context_stoppedAndStarted_runsThePipelineAgain() {
        runner.withUserConfiguration(Meters.class).run(context -> {
            RunningPipeline first = running(context, "endless");
            context.stop();
            assertThat(first.completion()).isCompleted();
            context.start();
            assertThat(running(context, "endless")).isNotSameAs(first);
            assertThat(running(context, "endless").completion()).isNotDone();
        });
    }

    @Test
    void failure_byDefault_endsTheApplicationAfterADrainOfTheOthers(CapturedOutput log) {
        runner.withUserConfiguration(Failing.class).run(context -> {
            WeirPipelines pipelines = pipelines(context);
            RunningPipeline endless = running(context, "endless");
            assertThat(endless.completion()).isNotDone();
            mayFail.countDown();
            await().atMost(LONG)
                    .until(() -> !context.getSourceApplicationContext().isActive());
            assertThat(endless.completion()).isCompleted();
            assertThat(pipelines.getExitCode()).isEqualTo(1);
            assertThat(log.getOut())
                    .containsOnlyOnce("pipeline failing has failed")
                    .contains("the till is broken")
                    .contains("the application ends because a pipeline has failed (weir.on-failure=shutdown)");
        });
    }

    @Test
    void failure_withKeep_turnsHealthDownAndLeavesTheOthers() {
        runner.withUserConfiguration(Failing.class)
                .withPropertyValues("weir.on-failure=keep")
                .run(context -> {
                    assertThat(health(context, "Liveness").getStatus()).isEqualTo(Status.UP);
                    assertThat(health(context, "Readiness").getStatus()).isEqualTo(Status.UP);
                    RunningPipeline failing = running(context, "failing");
                    mayFail.countDown();
                    await().atMost(LONG).until(() -> failing.completion().isDone());
                    assertThat(health(context, "Liveness").getStatus()).isEqualTo(Status.DOWN);
                    assertThat(health(context, "Liveness").getDetails())
                            .containsEntry("failing", "failed: the till is broken")
                            .containsEntry("endless", "runs");
                    assertThat(health(context, "Readiness").getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
                    assertThat(running(context, "endless").completion()).isNotDone();
                    assertThat(context.isRunning()).isTrue();

                    mayFail = new CountDownLatch(1);
                    pipelines(context).start("failing");
                    assertThat(health(context, "Liveness").getStatus()).isEqualTo(Status.UP);
                    assertThat(pipelines(context).getExitCode()).isZero();
                    RunningPipeline again = running(context, "failing");
                    mayFail.countDown();
                    // Waits, so that the next test does not find this run's log lines.
                    await().atMost(LONG).until(() -> again.completion().isDone());
                });
    }

    /** Regression: the reason of the last consumer replaced the reason why the pipeline was down. */
    @Test
    void health_ofTwoConsumers_hasTheReasonsOfBoth() {
        runner.withUserConfiguration(TwoConsumers.class).run(context -> {
            Health health = health(context, "Liveness");
            mayLetGo.countDown();
            assertThat(health.getStatus()).isEqualTo(Status.DOWN);
            assertThat(health.getDetails()).containsEntry("twins", "its thread has ended; it joins its group");
        });
    }

    @Test
    void cancellationThatAStageThrows_isAFailure() {
        fault = () -> new CancellationException("a future of the till was cancelled");
        mayFail.countDown();
        runner.withUserConfiguration(Failing.class)
                .withPropertyValues("weir.on-failure=keep")
                .run(context -> {
                    RunningPipeline failing = running(context, "failing");
                    await().atMost(LONG).until(() -> failing.completion().isDone());
                    assertThat(health(context, "Liveness").getDetails())
                            .containsEntry("failing", "failed: a future of the till was cancelled");
                });
    }

    /** Regression: the detail was "failed: null". */
    @Test
    void failureWithoutAMessage_isNamedByItsClass() {
        fault = UnsupportedOperationException::new;
        mayFail.countDown();
        runner.withUserConfiguration(Failing.class)
                .withPropertyValues("weir.on-failure=keep")
                .run(context -> {
                    RunningPipeline failing = running(context, "failing");
                    await().atMost(LONG).until(() -> failing.completion().isDone());
                    assertThat(health(context, "Liveness").getDetails())
                            .containsEntry("failing", "failed: java.lang.UnsupportedOperationException");
                });
    }

    @Test
    void failureOfWeir_withACause_isLoggedWithTheTraceOfThat(CapturedOutput log) {
        fault = () -> new KafkaPipelineException("the order failed", new IllegalStateException("the till is broken"));
        mayFail.countDown();
        runner.withUserConfiguration(Failing.class)
                .withPropertyValues("weir.on-failure=keep")
                .run(context -> await().atMost(LONG)
                        .untilAsserted(() -> assertThat(log.getOut())
                                .contains("pipeline failing has failed", "KafkaPipelineException: the order failed")
                                .contains("Caused by: java.lang.IllegalStateException: the till is broken")));
    }

    @Test
    void pipelineWhoseHandlerHasWeirPipelines_runs() {
        runner.withUserConfiguration(Steering.class).run(context -> {
            assertThat(pipelines(context).names()).containsExactly("endless", "steering");
            assertThat(pipelines(context).running("steering")).isPresent();
        });
    }

    @Test
    void metersThatCannotBeBound_areLeftOut(CapturedOutput log) {
        runner.withUserConfiguration(RefusingMeters.class).run(context -> {
            assertThat(running(context, "endless").completion()).isNotDone();
            assertThat(log.getOut())
                    .contains("pipeline endless runs without meters")
                    .contains("no room for weir.");
        });
    }

    @Test
    void pipelineThatEndsByItself_isWell(CapturedOutput log) {
        runner.withUserConfiguration(Bounded.class).run(context -> {
            await().atMost(LONG)
                    .until(() -> running(context, "bounded").completion().isDone());
            assertThat(health(context, "Liveness").getStatus()).isEqualTo(Status.UP);
            assertThat(health(context, "Readiness").getDetails()).containsEntry("bounded", "ended");
            await().atMost(LONG).untilAsserted(() -> assertThat(log.getOut()).contains("pipeline bounded has ended"));
        });
    }

    @Test
    void pipelineWithoutAutoStart_startsWhenToldTo() {
        runner.withPropertyValues("weir.pipelines.endless.auto-start=false").run(context -> {
            WeirPipelines pipelines = pipelines(context);
            assertThat(pipelines.running("endless")).isEmpty();
            assertThat(health(context, "Liveness").getDetails()).containsEntry("endless", "not started");
            pipelines.start("endless");
            assertThat(running(context, "endless").completion()).isNotDone();
            assertThatIllegalStateException()
                    .isThrownBy(() -> pipelines.start("endless"))
                    .withMessage("pipeline endless runs already");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> pipelines.start("endles"))
                    .withMessage("there is no Pipeline bean endles; there are [endless]");
        });
    }

    @Test
    void propertyOfAPipelineThatIsNotThere_isRefused() {
        runner.withPropertyValues("weir.pipelines.endles.auto-start=false")
                .run(context -> assertThat(Refusals.paragraph(context))
                        .contains(
                                "weir.pipelines.endles: there is no Pipeline bean of that name; there are [endless]"));
    }

    @Test
    void stop_pastItsTime_saysWhatIsUndone(CapturedOutput log) {
        runner.withUserConfiguration(Stuck.class)
                .withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=2s")
                .run(context -> {
                    assertThat(stuck.await(30, TimeUnit.SECONDS)).isTrue();
                    RunningPipeline cut = running(context, "stuck");
                    WeirPipelines pipelines = pipelines(context);
                    context.close();
                    // The pipeline does not end even if it is cancelled.
                    await().atMost(LONG)
                            .untilAsserted(() -> assertThat(log.getOut())
                                    .contains("pipeline stuck was stopped with work left undone: ")
                                    .contains("till: 1 element"));
                    mayLetGo.countDown();
                    await().atMost(LONG).until(() -> cut.completion().isDone());
                    assertThat(pipelines.getExitCode()).isZero();
                });
    }

    @ParameterizedTest
    @CsvSource({"30s,24s", "12s,6s", "2s,1s"})
    void drain_leavesTheGraceOfACancellationToThePhase(String phase, String drain) {
        assertThat(WeirPipelines.drainTime(DurationStyle.detectAndParse(phase)))
                .isEqualTo(DurationStyle.detectAndParse(drain));
    }

    /** A start may take as long as the search for brokers takes. */
    @Test
    void stop_duringAStart_drainsTheOthersAtOnce_andThenWhatWasStarted() throws Exception {
        CountDownLatch starting = new CountDownLatch(1);
        CountDownLatch mayStart = new CountDownLatch(1);
        AtomicBoolean slow = new AtomicBoolean();
        Supplier<@Nullable MeterRegistry> registry = () -> {
            if (slow.get()) {
                starting.countDown();
                awaitUninterruptibly(mayStart);
            }
            return null;
        };
        Pipeline endless = Source.never().to(Sink.ignore());
        Map<String, Pipeline> beans = Map.of("early", endless, "late", endless);
        WeirPipelines pipelines = new WeirPipelines(() -> beans, lateByHand(), LONG, registry, () -> {});
        pipelines.start();
        slow.set(true);
        CompletableFuture<Void> start = CompletableFuture.runAsync(() -> pipelines.start("late"));
        assertThat(starting.await(30, TimeUnit.SECONDS)).isTrue();

        CountDownLatch stopped = new CountDownLatch(1);
        pipelines.stop(stopped::countDown);
        pipelines.running("early").orElseThrow().completion().get(30, TimeUnit.SECONDS);
        assertThat(stopped.getCount()).isEqualTo(1);
        mayStart.countDown();
        start.get(30, TimeUnit.SECONDS);
        assertThat(stopped.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(pipelines.running("late").orElseThrow().completion()).isDone();
    }

    private static WeirProperties lateByHand() {
        var consumer = new WeirProperties.Consumer(
                null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
                Map.of());
        return new WeirProperties(
                OnFailure.KEEP,
                consumer,
                new WeirProperties.Producer(null, Map.of()),
                new WeirProperties.Console(false, 0, "127.0.0.1", null),
                new WeirProperties.Metrics(true, false),
                Map.of("late", new WeirProperties.PipelineProperties(false)));
    }

    @Test
    void pipelineThatCannotStart_isNamedAndLeavesNoOtherRunning() {
        runner.withUserConfiguration(Unreachable.class).run(context -> {
            assertThat(Refusals.paragraph(context))
                    .contains("pipeline unreachable did not start: ")
                    .contains("localhost:1");
            await().atMost(LONG).until(() -> keepers() == 0);
        });
    }

    @Test
    void whatTheClientRefuses_isToldInAParagraphWithThePipeline() {
        runner.withUserConfiguration(Secured.class)
                .withPropertyValues(
                        "spring.kafka.bootstrap-servers=localhost:1",
                        "spring.kafka.consumer.group-id=g",
                        "spring.kafka.security.protocol=SSL",
                        "spring.kafka.ssl.trust-store-location=file:/no/such.jks")
                .run(context -> assertThat(Refusals.paragraph(context))
                        .contains("pipeline secured did not start: ")
                        .contains("/no/such.jks"));
    }

    /** Regression: the paragraph ended before the reason, which Kafka's client reports in a cause. */
    @Test
    void whatTheClientOfABeanRefuses_isToldWithTheReason() {
        runner.withUserConfiguration(Reused.class)
                .withPropertyValues(
                        "spring.kafka.bootstrap-servers=localhost:1",
                        "spring.kafka.consumer.group-id=g",
                        "spring.kafka.security.protocol=SSL",
                        "spring.kafka.ssl.trust-store-location=file:/no/such.jks")
                .run(context -> assertThat(Refusals.paragraph(context)).contains("/no/such.jks"));
    }

    @Test
    void meters_areThoseOfTheApplication_untilItStops() {
        runner.withUserConfiguration(Meters.class).run(context -> {
            SimpleMeterRegistry registry = context.getBean(SimpleMeterRegistry.class);
            assertThat(registry.get("weir.pipeline.running")
                            .tag("pipeline", "endless")
                            .gauge()
                            .value())
                    .isEqualTo(1);
            assertThat(registry.find("weir.dispatcher.threads").meters()).isNotEmpty();
            context.stop();
            assertThat(registry.find("weir.pipeline.running").meter()).isNull();
        });
    }
}
