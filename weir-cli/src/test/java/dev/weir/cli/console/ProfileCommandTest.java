package dev.weir.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.cli.CommandHarness;
import dev.weir.command.terminal.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code weir profile} on processes started without special options. */
@Timeout(120)
class ProfileCommandTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final CommandHarness harness = new CommandHarness();

    @TempDir
    Path folder;

    private static Process fork(String... mainAndArguments) throws IOException {
        ProcessBuilder command = new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"));
        command.command().addAll(List.of(mainAndArguments));
        return command.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    private static void end(Process process) throws InterruptedException {
        int ignored = process.destroyForcibly().waitFor();
    }

    @Test
    void process_profiledByItsNumberAndByItsConsole_tellsItsStages() throws Exception {
        Process process = fork(ProfiledMain.class.getName());
        try {
            String console = process.inputReader().readLine();
            Path html = folder.resolve("profile.html");
            for (String target : new String[] {Long.toString(process.pid()), console}) {
                int code = harness.run("profile", target, "--seconds=3", "--json", "--html=" + html);
                assertThat(code).as(harness.err()).isEqualTo(ExitCode.DONE);
                assertProfile(JSON.readTree(harness.out().lines().toList().getLast()));
                assertThat(Files.readString(html))
                        .contains("ProfiledMain.price")
                        .contains("Content-Security-Policy");
                Files.delete(html);
            }
            assertThat(harness.run("profile", console, "--seconds=1")).isEqualTo(ExitCode.DONE);
            assertThat(harness.out()).contains("Weir itself").contains("price");
            process.getOutputStream().close();
            assertThat(process.waitFor()).isZero();
        } finally {
            end(process);
        }
    }

    /** An open port would outlive the profile, on all interfaces and without a password. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void process_profiledByItsNumber_listensOnNothingMore() throws Exception {
        Set<Path> before = recordings(); // processes that were killed may have left some
        Process process = fork(ProfiledMain.class.getName());
        try {
            String console = process.inputReader().readLine();
            assertThat(listening(process.pid())).hasSize(1);
            int code = harness.run("profile", Long.toString(process.pid()), "--seconds=1", "--json");
            assertThat(code).as(harness.err()).isEqualTo(ExitCode.DONE);
            assertThat(harness.run("console", Long.toString(process.pid()), "--json"))
                    .as(console)
                    .isEqualTo(ExitCode.DONE);
            assertThat(listening(process.pid())).as("the console's port alone").hasSize(1);
            assertThat(recordings()).isEqualTo(before);
        } finally {
            end(process);
        }
    }

    private static Set<Path> recordings() throws IOException {
        try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return files.filter(file -> file.getFileName().toString().startsWith("weir-profile"))
                    .collect(Collectors.toSet());
        }
    }

    /** Returns the local addresses of the process's listening sockets, as proc(5) has them. */
    private static List<String> listening(long pid) throws IOException {
        Set<String> own = new HashSet<>();
        try (Stream<Path> files = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            for (Path file : files.toList()) {
                try {
                    own.add(Files.readSymbolicLink(file).toString());
                } catch (NoSuchFileException e) {
                    // The file descriptor has been closed.
                }
            }
        }
        List<String> found = new ArrayList<>();
        for (String table : List.of("tcp", "tcp6")) {
            for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/net/" + table))) {
                String[] fields = line.strip().split(" +", -1);
                if (fields[3].equals("0A") && own.contains("socket:[" + fields[9] + "]")) {
                    found.add(fields[1]);
                }
            }
        }
        return found;
    }

    private static void assertProfile(JsonNode profile) {
        assertThat(profile.fieldNames())
                .toIterable()
                .containsExactly(
                        "seconds",
                        "sampler",
                        "samples",
                        "lost",
                        "engine_share",
                        "client_share",
                        "other_share",
                        "stages");
        assertThat(profile.path("seconds").asDouble()).isGreaterThanOrEqualTo(3);
        assertThat(profile.path("samples").asLong()).isPositive();
        JsonNode price = profile.path("stages").get(0);
        assertThat(price.path("name").asText()).isEqualTo("price");
        assertThat(price.path("cpu_share").asDouble()).isPositive();
        assertThat(price.at("/top/0/method").asText()).isEqualTo(ProfiledMain.class.getName() + ".price");
        assertThat(price.at("/top/0/self_share").asDouble()).isPositive();
        assertThat(price.path("allocated_bytes").isIntegralNumber()).isTrue();
        assertThat(price.path("blocked").isArray()).isTrue();
    }

    @Test
    void process_withoutAPipeline_isRefusedAtOnceWithAWayOut() throws Exception {
        Process process = fork(ReadingMain.class.getName());
        try {
            assertThat(process.inputReader().readLine()).isEqualTo("reading");
            int code = harness.run("profile", Long.toString(process.pid()), "--seconds=60", "--json");
            assertThat(code).isEqualTo(ExitCode.FAILED);
            assertThat(harness.err())
                    .contains("process " + process.pid() + " has not run a Weir pipeline yet")
                    .doesNotContain("\tat ");
            assertThat(JSON.readTree(harness.out().lines().toList().getLast())
                            .path("error")
                            .asText())
                    .contains("pipeline");
        } finally {
            end(process);
        }
    }

    /** A JVM without code of Weir. */
    static final class ReadingMain {

        private ReadingMain() {}

        public static void main(String[] args) throws IOException {
            System.out.println("reading");
            System.out.println("read " + System.in.read());
        }
    }

    @Test
    void process_thatIsNoneOrNoJvm_isRefusedWithAWayOut() throws Exception {
        assertThat(harness.run("profile", "999999999")).isEqualTo(ExitCode.FAILED);
        assertThat(harness.err()).contains("there is no process 999999999").contains("jps");
        Process process = new ProcessBuilder("cat", "--", "-", "password=planted").start();
        try {
            String pid = Long.toString(process.pid());
            assertThat(harness.run("profile", pid)).isEqualTo(ExitCode.FAILED);
            assertThat(harness.err())
                    .contains("process " + pid + " is not a JVM that can be asked")
                    .doesNotContain("\tat ");
            for (String command : List.of("profile", "console")) {
                CommandHarness verbose = new CommandHarness();
                assertThat(verbose.run(command, pid, "--verbose")).isEqualTo(ExitCode.FAILED);
                assertThat(verbose.err())
                        .contains("is not a JVM that can be asked")
                        .contains("\tat ")
                        .doesNotContain("planted");
            }
        } finally {
            end(process);
        }
    }

    @Test
    void options_outOfBounds_areRefusedByName() {
        assertThat(harness.run("profile", "1", "--seconds=0")).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err()).contains("--seconds must be 1 to 60: --seconds=0");
        Path nowhere = folder.resolve("nowhere").resolve("x.html");
        assertThat(harness.run("profile", "1", "--html=" + nowhere)).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err()).contains("--html must be a file in a folder that exists");
        assertThat(harness.run("profile", "4711x")).isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err()).contains("PID|URL").contains("4711x");
    }
}
