package dev.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.stream.Pipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Tests the properties {@code weir.console.*} and {@code weir.metrics.*}, with pipelines that do not use Kafka. */
@ExtendWith(OutputCaptureExtension.class)
class SpringConsoleTest {

    private static final String TOKEN = "a-token-of-some-length";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(KafkaAutoConfiguration.class, WeirAutoConfiguration.class))
            .withUserConfiguration(Two.class);

    @Configuration(proxyBeanMethods = false)
    static class Two {
        @Bean
        Pipeline orders() {
            return Source.never().to(Sink.ignore());
        }

        @Bean
        Pipeline billing() {
            return Source.never().to(Sink.ignore());
        }

        @Bean
        MeterRegistry meters() {
            return new SimpleMeterRegistry();
        }
    }

    private static URI console(ApplicationContext context, String pipeline) {
        PipelineBean bean = context.getBean(WeirPipelines.class).beans().stream()
                .filter(each -> each.name().equals(pipeline))
                .findFirst()
                .orElseThrow();
        return Objects.requireNonNull(bean.console().server(), pipeline).uri();
    }

    private static HttpResponse<String> state(URI console, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(console.resolve("/api/state")).timeout(Duration.ofSeconds(20));
        if (headers.length > 0) {
            request.headers(headers);
        }
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Test
    void console_enabled_isOneForEachPipelineWithItsLimiter_untilTheContextCloses() {
        URI[] consoles = new URI[2];
        runner.withPropertyValues("weir.console.enabled=true").run(context -> {
            consoles[0] = console(context, "orders");
            consoles[1] = console(context, "billing");
            assertThat(consoles[0]).isNotEqualTo(consoles[1]);
            assertThat(state(consoles[0]).body()).contains("\"pipeline\":\"orders\"");
            assertThat(state(consoles[1]).body()).contains("\"pipeline\":\"billing\"");
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> state(consoles[0]).body().contains("\"limiter\":{\"kind\":"));
        });
        for (URI console : consoles) {
            assertThatThrownBy(() -> state(console)).isInstanceOf(ConnectException.class);
        }
    }

    @Test
    void console_withAPort_countsUpByTheNamesOfThePipelines() throws Exception {
        int port = freePort();
        runner.withPropertyValues("weir.console.enabled=true", "weir.console.port=" + port)
                .run(context ->
                        assertThat(console(context, "billing").getPort()).isEqualTo(port));
    }

    @Test
    void console_whosePortIsTaken_leavesThePipelineRunning(CapturedOutput log) throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            runner.withPropertyValues("weir.console.enabled=true", "weir.console.port=" + taken.getLocalPort())
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        assertThat(context.getBean(WeirPipelines.class)
                                        .running("billing")
                                        .orElseThrow()
                                        .completion()
                                        .isDone())
                                .isFalse();
                        assertThat(log).contains("pipeline billing runs without its console");
                    });
        }
    }

    @Test
    void console_restartedPipeline_keepsItsAddress() {
        runner.withPropertyValues("weir.console.enabled=true").run(context -> {
            URI before = console(context, "orders");
            WeirPipelines pipelines = context.getBean(WeirPipelines.class);
            pipelines.running("orders").orElseThrow().stop();
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> pipelines
                            .running("orders")
                            .orElseThrow()
                            .completion()
                            .isDone());
            pipelines.start("orders");
            assertThat(console(context, "orders")).isEqualTo(before);
            assertThat(state(before).body()).contains("\"running\":true");
        });
    }

    @Test
    void console_withAToken_demandsIt_andNeverShowsIt(CapturedOutput log) {
        runner.withPropertyValues("weir.console.enabled=true", "weir.console.token=" + TOKEN)
                .run(context -> {
                    URI console = console(context, "orders");
                    assertThat(state(console).statusCode()).isEqualTo(401);
                    assertThat(state(console, "Authorization", "Bearer " + TOKEN)
                                    .statusCode())
                            .isEqualTo(200);
                    assertThat(context.getBean(WeirProperties.class).toString()).doesNotContain(TOKEN);
                });
        assertThat(log).doesNotContain(TOKEN);
    }

    /** The refusal happens before any pipeline runs, because a pipeline may start hours after the application. */
    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::", "192.0.2.1"})
    void console_beyondLoopbackWithoutAToken_isRefusedWithTheBean(String host) {
        WeirProperties.Console open = new WeirProperties.Console(true, 0, host, null);
        assertThatThrownBy(() -> new PipelineConsole("orders", open, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("host=" + host)
                .hasMessageContaining("weir.console.token");
        WeirProperties.Console shortToken = new WeirProperties.Console(true, 0, host, "short");
        assertThatThrownBy(() -> new PipelineConsole("orders", shortToken, 0)).hasMessageContaining("weir.console");
    }

    @Test
    void console_thatMayBe_isBuilt() {
        for (WeirProperties.Console each : List.of(
                new WeirProperties.Console(false, 0, "0.0.0.0", null),
                new WeirProperties.Console(true, 0, "0.0.0.0", TOKEN),
                new WeirProperties.Console(true, 0, "127.0.0.1", null),
                new WeirProperties.Console(true, 0, "::1", null),
                new WeirProperties.Console(true, 0, "localhost", null),
                new WeirProperties.Console(true, 0, "no-such-host.invalid", null))) {
            assertThat(new PipelineConsole("orders", each, 0).server()).isNull();
        }
    }

    @Test
    void console_beyondLoopbackWithoutAToken_isRefusedByTheNameOfTheProperty() {
        runner.withPropertyValues("weir.console.enabled=true", "weir.console.host=0.0.0.0")
                .run(context -> assertThat(Refusals.paragraph(context)).contains("weir.console.token"));
        runner.withPropertyValues("weir.console.enabled=true", "weir.console.port=70000")
                .run(context -> assertThat(Refusals.paragraph(context)).contains("weir.console.port"));
    }

    @Test
    void console_byDefault_isNone() {
        runner.run(context -> assertThat(context.getBean(WeirPipelines.class).beans())
                .hasSize(2)
                .allSatisfy(bean -> assertThat(bean.console().server()).isNull()));
    }

    @Test
    void metrics_disabled_bindNothing() {
        runner.run(context -> assertThat(metersOfWeir(context)).isPositive());
        runner.withPropertyValues("weir.metrics.enabled=false")
                .run(context -> assertThat(metersOfWeir(context)).isZero());
    }

    /** Returns the number of Weir's meters. Spring Kafka may have meters of its own. */
    private static long metersOfWeir(ApplicationContext context) {
        return context.getBean(MeterRegistry.class).getMeters().stream()
                .filter(meter -> meter.getId().getName().startsWith("weir."))
                .count();
    }
}
