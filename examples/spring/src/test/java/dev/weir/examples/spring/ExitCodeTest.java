package dev.weir.examples.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.annotation.Bean;

/** Runs the application in a separate process, with an additional pipeline that fails. */
class ExitCodeTest {

    /** Without {@code @Configuration}, so that other tests in this package do not find it. */
    static class Failing {
        @Bean
        Pipeline failing() {
            return Source.single(1)
                    .mapBlocking(1, Ordering.input(), one -> {
                        throw new IllegalStateException("the till is broken");
                    })
                    .to(Sink.ignore());
        }
    }

    @TempDir
    private Path folder;

    @Test
    void pipelineThatFails_endsTheProcessWithOne() throws Exception {
        Path output = folder.resolve("output");
        Process application = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        InvoicingApplication.class.getName(),
                        "--spring.main.sources=" + Failing.class.getName(),
                        "--spring.main.web-application-type=none",
                        "--weir.pipelines.invoicing.auto-start=false")
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(application.waitFor(3, TimeUnit.MINUTES)).isTrue();
            assertThat(Files.readString(output)).contains("pipeline failing has failed");
            assertThat(application.exitValue()).isEqualTo(1);
        } finally {
            application.destroyForcibly();
        }
    }
}
