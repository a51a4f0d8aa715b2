package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.command.terminal.ExitCode;
import dev.weir.command.terminal.OutOfMemory;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the {@code ./weir} script in a separate tree. Its Maven and JDKs only record their calls. */
class LauncherTest {

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));

    @TempDir
    private Path temp;

    private Path tree;
    private Path source;

    @BeforeEach
    void plantTree() throws IOException {
        tree = temp.resolve("a checkout");
        source = tree.resolve("weir-stream/src/main/java/A.java");
        write(source, "class A {}");
        write(tree.resolve("pom.xml"), "<project/>");
        for (String part : List.of(".mvn/find-jdk.sh", ".mvn/start-jvm.sh")) {
            write(tree.resolve(part), Files.readString(ROOT.resolve(part)));
        }
        script(tree.resolve("weir"), Files.readString(ROOT.resolve("weir")));
        script(tree.resolve("mvnw"), """
                #!/bin/sh
                echo build >>builds
                [ ! -f slow ] || sleep 2
                [ ! -f broken ] || { echo '[ERROR] A.java: not a class'; exit 1; }
                mkdir -p weir-cli/target/lib
                echo jar >weir-cli/target/weir-cli.jar
                for pom in bench/drivers/*/pom.xml; do
                  [ ! -f "$pom" ] || { mkdir -p "${pom%/*}/target"; echo jars >"${pom%/*}/target/driver.classpath"; }
                done
                """);
        jdk("jdk-25", "25.0.1");
        // Make these files older than the stamp on disk, too.
        Files.setLastModifiedTime(source, FileTime.from(Instant.now().minusSeconds(60)));
        Files.setLastModifiedTime(
                tree.resolve("pom.xml"), FileTime.from(Instant.now().minusSeconds(60)));
    }

    @Test
    void launch_unchanged_buildsOnce() throws Exception {
        assertThat(launch("pipe").err).contains("first use: building");
        Result second = launch("pipe");
        assertThat(second.err).isEmpty();
        assertThat(second.out).contains("[pipe]");
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void launch_afterAnEdit_buildsAgain() throws Exception {
        launch("pipe");
        Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(5)));
        assertThat(launch("pipe").err).contains("sources changed");
        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void launch_afterADeletion_buildsAgain() throws Exception {
        Path second = tree.resolve("weir-stream/src/main/java/B.java");
        write(second, "class B {}");
        Files.setLastModifiedTime(second, FileTime.from(Instant.now().minusSeconds(60)));
        launch("pipe");
        Files.delete(second);
        launch("pipe");
        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void launch_withoutWhatADriverIsStartedWith_buildsAgain() throws Exception {
        Path pom = tree.resolve("bench/drivers/one/pom.xml");
        write(pom, "<project/>");
        Files.setLastModifiedTime(pom, FileTime.from(Instant.now().minusSeconds(60)));
        launch("bench");
        launch("bench");
        assertThat(builds()).isEqualTo(1);
        Files.delete(tree.resolve("bench/drivers/one/target/driver.classpath"));
        launch("bench");
        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void launch_afterATestChanged_doesNotBuild() throws Exception {
        launch("pipe");
        write(tree.resolve("weir-stream/src/test/java/ATest.java"), "class ATest {}");
        launch("pipe");
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void launch_whenTheBuildFails_showsWhyAndTriesAgainNextTime() throws Exception {
        write(tree.resolve("broken"), "");
        Result failed = launch("pipe");
        assertThat(failed.code).isEqualTo(1);
        assertThat(failed.err).contains("[ERROR] A.java: not a class", "build.log");
        assertThat(failed.out).isEmpty();
        Files.delete(tree.resolve("broken"));
        assertThat(launch("pipe").code).isZero();
        assertThat(builds()).isEqualTo(2);
    }

    @Test
    void launch_twiceAtOnce_buildsOnce() throws Exception {
        write(tree.resolve("slow"), "");
        Process first = start(temp, tree.resolve("weir").toString());
        Process second = start(temp, tree.resolve("weir").toString());
        assertThat(List.of(finish(first).code, finish(second).code)).containsOnly(0);
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void launch_afterABuilderDied_takesItsLock() throws Exception {
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        Path lock = tree.resolve("weir-cli/target/launcher/lock");
        Files.createDirectories(lock.getParent());
        Files.createSymbolicLink(lock, Path.of(Long.toString(gone.pid())));
        assertThat(launch("pipe").code).isZero();
        assertThat(Files.exists(lock, LinkOption.NOFOLLOW_LINKS)).isFalse();
    }

    @Test
    void arguments_reachTheJvmUnharmed_afterTheOptions() throws Exception {
        Result result = launch("--via", "exec:tr a-z 'A-Z'", "", "*");
        assertThat(result.out).contains("[-Xmx64m][-Dx=y]").endsWith("[--via][exec:tr a-z 'A-Z'][][*]\n");
    }

    @Test
    void launch_throughALinkFromElsewhere_keepsTheWorkingFolder() throws Exception {
        Path elsewhere = Files.createDirectories(temp.resolve("else where"));
        Files.createSymbolicLink(elsewhere.resolve("w"), Path.of("../a checkout/weir"));
        Result result = finish(start(elsewhere, "./w", "pipe"));
        assertThat(result.out).contains("in " + elsewhere.toRealPath()).endsWith("[pipe]\n");
    }

    @Test
    void process_isTheJvmItself() throws Exception {
        launch("pipe");
        Process process = start(temp, tree.resolve("weir").toString(), "pipe");
        assertThat(finish(process).out).contains("pid " + process.pid() + " ");
    }

    @Test
    void jdk_newestOfAllPlaces_wins() throws Exception {
        jdk("home/.sdkman/candidates/java/90-tem", "90");
        jdk("home/.jdks/openjdk-91", "91.0.2");
        jdk("jdk-17", "17.0.9");
        ProcessBuilder builder = builder(temp, tree.resolve("weir").toString());
        builder.environment().remove("WEIR_JAVA_HOME");
        builder.environment().put("JAVA_HOME", temp.resolve("jdk-17").toString());
        builder.environment().put("HOME", temp.resolve("home").toString());
        assertThat(finish(builder.start()).out).contains("JDK 91.0.2 ");
    }

    @Test
    void jdk_missing_saysHowToGetOne() throws Exception {
        jdk("jdk-17", "17.0.9");
        ProcessBuilder builder = builder(temp, tree.resolve("weir").toString());
        builder.environment().put("WEIR_JAVA_HOME", temp.resolve("jdk-17").toString());
        Result result = finish(builder.start());
        assertThat(result.code).isEqualTo(1);
        assertThat(result.err)
                .contains("no JDK 21 or newer", "apt-get install", "dnf install", "brew install", "sdk install java");
    }

    @Test
    void jvmOptions_areOnlyThoseItsVersionKnows() throws Exception {
        assertThat(launch().out).contains("--sun-misc-unsafe-memory-access=allow", "aot*=off");
        jdk("jdk-25", "21.0.8");
        assertThat(launch().out).doesNotContain("--sun-misc-unsafe-memory-access", "aot*=off");
    }

    @Test
    void cache_isMadeByTheBuild_andUsedUntilTheNextOne() throws Exception {
        jdkWithCaches("25.0.1");
        String cache = "[-XX:AOTCache=" + tree.toRealPath().resolve("weir-cli/target/launcher/classes-25") + "]";
        assertThat(launch("pipe").out).contains(cache);
        assertThat(launch("pipe").out).contains(cache);
        assertThat(trainings()).isEqualTo(1);
        Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(5)));
        assertThat(launch("pipe").out).contains(cache);
        assertThat(trainings()).isEqualTo(2);
    }

    @Test
    void cache_thatCouldNotBeMade_orIsOfAnotherJdk_isNotUsed() throws Exception {
        assertThat(launch("pipe").out).doesNotContain("-XX:AOTCache").endsWith("[pipe]\n");
        Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(5)));
        jdkWithCaches("25.0.1");
        assertThat(launch("pipe").out).contains("-XX:AOTCache");
        Files.setLastModifiedTime(source, FileTime.from(Instant.now().minusSeconds(60)));
        jdkWithCaches("21.0.8");
        assertThat(launch("pipe").out).doesNotContain("-XX:AOTCache", "SharedArchiveFile");
    }

    @Test
    void cache_besideOptionsOfTheUserAboutCaches_isNotUsed() throws Exception {
        jdkWithCaches("25.0.1");
        launch("pipe");
        ProcessBuilder builder = builder(temp, tree.resolve("weir").toString(), "pipe");
        builder.environment().put("WEIR_OPTS", "-Xshare:off");
        assertThat(finish(builder.start()).out).doesNotContain("-XX:AOTCache").endsWith("[pipe]\n");
    }

    /** Fills the heap in a thread that nobody waits for. */
    static final class Glutton {

        private Glutton() {}

        public static void main(String[] args) {
            OutOfMemory.watch(List.of(args).contains("--json"));
            Thread.ofPlatform().start(() -> {
                Object[] taken = {};
                while (true) {
                    taken = new Object[] {taken, new byte[1024 * 1024]};
                }
            });
        }
    }

    private static String folder(Class<?> of) throws URISyntaxException {
        return Path.of(of.getProtectionDomain().getCodeSource().getLocation().toURI())
                .toString();
    }

    /** Starts another program with the launcher's options. */
    private Result launchGlutton(String... args) throws Exception {
        jdk("jdk-25", "25.0.1");
        script(temp.resolve("jdk-25/bin/java"), """
                #!/bin/sh
                # A cache would be trained without the user's options: with a quarter of the machine's memory as its heap.
                case $* in *-XX:AOTMode=* | *-XX:ArchiveClassesAtExit=*) exit 1 ;; esac
                LINE=$*
                left=$#
                jar=
                while [ "$left" -gt 0 ]; do
                  argument=$1
                  shift
                  left=$((left - 1))
                  [ "$argument" != -jar ] || jar=1
                  # The version that runs the test may not know it.
                  case $argument in --sun-misc*) continue ;; esac
                  [ -n "$jar" ] || set -- "$@" "$argument"
                done
                json=
                case $LINE in *--json*) json=--json ;; esac
                exec 'JAVA' "$@" -cp 'CLASSES' 'MAIN' $json
                """.replace(
                        "JAVA",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString())
                .replace("CLASSES", folder(getClass()) + File.pathSeparator + folder(OutOfMemory.class))
                .replace("MAIN", Glutton.class.getName()));
        return launch(args);
    }

    @Test
    void outOfMemory_isSaidWithTheWayOut_andEndsWithAStatusOfItsOwn() throws Exception {
        Result result = launchGlutton("pipe");
        assertThat(result.code).as(result.err).isEqualTo(ExitCode.OUT_OF_MEMORY);
        assertThat(result.err).contains("weir: out of memory.", "WEIR_OPTS=-Xmx", "weir.buffer.bytes");
        assertThat(result.out).isEmpty();
        Result json = launchGlutton("pipe", "--json");
        assertThat(json.code).isEqualTo(ExitCode.OUT_OF_MEMORY);
        assertThat(json.out).isEqualTo("{\"error\":\"out of memory\"}\n");
        assertThat(json.err).contains("weir: out of memory.");
    }

    private void jdk(String folder, String version) throws IOException {
        Path home = temp.resolve(folder);
        write(home.resolve("release"), "IMPLEMENTOR=\"None\"\nJAVA_VERSION=\"" + version + "\"\n");
        script(home.resolve("bin/javac"), "#!/bin/sh\n");
        script(home.resolve("bin/java"), """
                #!/bin/sh
                echo "JDK VERSION pid $$ in $(pwd -P)"
                for argument in "$@"; do printf '[%s]' "$argument"; done
                echo
                """.replace("VERSION", version));
    }

    /** Installs a fake JDK that records each requested cache and creates it. */
    private void jdkWithCaches(String version) throws IOException {
        jdk("jdk-25", version);
        script(temp.resolve("jdk-25/bin/java"), """
                #!/bin/sh
                case $* in
                  *-XX:AOTMode=* | *-XX:ArchiveClassesAtExit=*)
                    for argument; do
                      case $argument in
                        -XX:AOTConfiguration=*) echo made >"${argument#*=}" ;;
                        -XX:AOTCache=* | -XX:ArchiveClassesAtExit=*) echo made >"${argument#*=}"; echo cache >>'TEMP/trainings' ;;
                      esac
                    done
                    ;;
                  *) for argument; do printf '[%s]' "$argument"; done; echo ;;
                esac
                """.replace("TEMP", temp.toString()));
    }

    private int trainings() throws IOException {
        return Files.readAllLines(temp.resolve("trainings")).size();
    }

    private Result launch(String... args) throws Exception {
        List<String> command = new ArrayList<>(List.of(tree.resolve("weir").toString()));
        command.addAll(Arrays.asList(args));
        return finish(start(temp, command.toArray(String[]::new)));
    }

    private Process start(Path folder, String... command) throws IOException {
        return builder(folder, command).start();
    }

    private ProcessBuilder builder(Path folder, String... command) {
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().put("WEIR_JAVA_HOME", temp.resolve("jdk-25").toString());
        builder.environment().put("WEIR_OPTS", "-Xmx64m -Dx=y");
        return builder;
    }

    private static Result finish(Process process) throws Exception {
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return new Result(process.exitValue(), out, err);
    }

    private long builds() throws IOException {
        return Files.readAllLines(tree.resolve("builds")).size();
    }

    private static void script(Path file, String text) throws IOException {
        write(file, text);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private record Result(int code, String out, String err) {}
}
