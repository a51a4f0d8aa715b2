package dev.weir.checks.deploy;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * A pod's container as a process of this machine, with the image's entry point and the manifests' arguments,
 * environment, files, probes and grace period. Only its port differs. Confined to the test's thread, which closes it.
 * Closing kills a running process.
 */
final class Pod implements AutoCloseable {

    /** The time limit for a JVM to start and join its group on a busy machine. */
    private static final Duration START = Duration.ofMinutes(3);

    private final Manifests manifests;
    private final Path folder;
    private final Process process;

    /** The time from SIGTERM to the process's end. */
    private @Nullable CompletableFuture<Duration> sinceTerm;

    private Pod(Manifests manifests, Path folder, Process process) {
        this.manifests = manifests;
        this.folder = folder;
        this.process = process;
    }

    /**
     * Starts a pod.
     *
     * @param entryPoint the image's entry point, as a command of this machine
     * @param settings variables that replace the manifests' ones
     * @param folder the pod's own folder, which is created
     */
    static Pod start(
            Manifests manifests, List<String> entryPoint, String name, Map<String, String> settings, Path folder)
            throws IOException {
        Files.createDirectories(folder);
        Map<String, String> environment = manifests.environment(name);
        environment.putAll(settings);
        JsonNode container = manifests.container();
        String any = "--metrics=0.0.0.0:";
        String port = any + container.at("/ports/0/containerPort").asInt();
        String etc = writeFiles(manifests, folder);
        List<String> arguments = manifests.arguments(environment).stream()
                .map(word -> word.equals(port) ? any + 0 : word)
                .map(word -> word.replace("=" + etc + "/", "=" + folder.resolve("etc") + "/"))
                .toList();
        assertThat(arguments).contains(any + 0);
        List<String> command = new ArrayList<>(entryPoint);
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().clear();
        builder.environment().putAll(environment);
        Process process = builder.directory(folder.toFile())
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile())
                .start();
        return new Pod(manifests, folder, process);
    }

    /** Writes the files of the first mounted ConfigMap, and returns their folder. */
    private static String writeFiles(Manifests manifests, Path folder) throws IOException {
        JsonNode mount = manifests.container().required("volumeMounts").required(0);
        JsonNode volume = manifests.pod().required("volumes").required(0);
        assertThat(volume.required("name")).isEqualTo(mount.required("name"));
        Path etc = Files.createDirectories(folder.resolve("etc"));
        for (Map.Entry<String, JsonNode> file :
                manifests.configMap(volume.at("/configMap/name").asText()).properties()) {
            Files.writeString(etc.resolve(file.getKey()), file.getValue().asText());
        }
        return mount.required("mountPath").asText();
    }

    void awaitReady() {
        String path = manifests.container().at("/readinessProbe/httpGet/path").asText();
        Awaitility.await()
                .atMost(START)
                .pollInterval(Duration.ofMillis(200))
                // The first line may be incomplete, or the process may not have responded yet.
                .ignoreExceptionsInstanceOf(UncheckedIOException.class)
                .until(() ->
                        !process.isAlive() || (!out().isEmpty() && get(path).statusCode() == 200));
        assertThat(process.isAlive()).as(said()).isTrue();
    }

    int liveness() {
        return get(manifests.container().at("/livenessProbe/httpGet/path").asText())
                .statusCode();
    }

    String metrics() {
        return get("/metrics").body();
    }

    private HttpResponse<String> get(String path) {
        try (HttpClient client = HttpClient.newHttpClient()) {
            String url = new ObjectMapper()
                    .readTree(out().lines().findFirst().orElseThrow())
                    .required("metrics")
                    .asText();
            HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
                    .timeout(Duration.ofSeconds(20))
                    .build();
            return client.send(request, BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(said(), e);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    /** Sends SIGTERM. The grace period begins. */
    void sendTerm() {
        assertThat(process.isAlive()).as(said()).isTrue();
        long sentAt = System.nanoTime();
        sinceTerm = process.onExit().thenApply(ended -> Duration.ofNanos(System.nanoTime() - sentAt));
        // The container's process is a child of its creator.
        process.children().findFirst().orElseGet(process::toHandle).destroy();
    }

    /** Checks that the process drains and ends by itself within its grace period. */
    void assertEndsWell() {
        try {
            assertThat(requireNonNull(sinceTerm, "told to end").get(manifests.graceSeconds() + 30, TimeUnit.SECONDS))
                    .as("ended within the grace period: %s", said())
                    .isLessThanOrEqualTo(Duration.ofSeconds(manifests.graceSeconds()));
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError(said(), e);
        }
        assertThat(process.exitValue()).as(said()).isZero();
        assertThat(out()).contains("\"drained\":true");
    }

    String out() {
        return text("out");
    }

    private String said() {
        return out() + text("err");
    }

    private String text(String name) {
        try {
            return Files.readString(folder.resolve(name));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        // The creator of the container may end and leave the container's process 1 behind.
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        try {
            assertThat(process.destroyForcibly().waitFor(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }
}
