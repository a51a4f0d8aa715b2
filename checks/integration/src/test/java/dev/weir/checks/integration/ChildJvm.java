package dev.weir.checks.integration;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The JVMs that these tests start, and the archive of loaded classes (class data sharing) that they share: to read,
 * check and link these is a third of the processor time of a broker's start, and of a short command's whole life.
 *
 * <p>The module's build rebuilds it before the tests, by {@link #main}; tests only read it, so that none meets half of
 * one. What the JVM asks for: while it is made, the class path has nothing but jars, and whoever uses it has these
 * first. Where other modules are folders (in {@code mvn test}, in a development environment) there is none, and
 * children start as ever. A JVM ignores an archive of other jars or of another JDK. Stateless.
 */
final class ChildJvm {

    /** Names the archive, which need not be there. The brokers that the testkit forks look at it as well. */
    static final String ARCHIVE = "weir.testkit.archive";

    private static final long MAX_SECONDS = 120;

    private ChildJvm() {}

    /** The program {@code java} of this JVM, what is the same for all children, and their class path. */
    static List<String> command() {
        List<String> command = quick();
        String archive = System.getProperty(ARCHIVE, "");
        if (!archive.isEmpty() && Files.exists(Path.of(archive))) {
            // What the JVM says of an archive that it ignores would stand among what a test reads.
            command.addAll(List.of(
                    "-XX:SharedArchiveFile=" + archive,
                    "-D" + ARCHIVE + "=" + archive,
                    "-Xlog:disable",
                    "-Xlog:all=warning:stderr",
                    "-Xlog:cds*=off:stderr"));
            if (Runtime.version().feature() >= 24) {
                command.add("-Xlog:aot*=off:stderr");
            }
        }
        command.addAll(List.of("-cp", path(jars()) + File.pathSeparator + path(others())));
        return command;
    }

    /** Returns whether all modules are jars here but this one, so that an archive can be made. */
    static boolean isPackaged() {
        Path own = Path.of("target").toAbsolutePath();
        return others().allMatch(each -> each.startsWith(own) || Files.notExists(each));
    }

    private static List<String> quick() {
        return new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1"));
    }

    private static Stream<Path> jars() {
        return entries().filter(Files::isRegularFile);
    }

    private static Stream<Path> others() {
        return entries().filter(each -> !Files.isRegularFile(each));
    }

    private static Stream<Path> entries() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of);
    }

    private static String path(Stream<Path> entries) {
        return entries.map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    /** Makes the archive that is named, if it can be made here; in the module's folder. */
    public static void main(String[] args) throws IOException, InterruptedException {
        Path archive = Path.of(args[0]);
        Files.deleteIfExists(archive);
        if (!isPackaged()) {
            return;
        }
        Path unfinished = Path.of(archive + ".new");
        Files.deleteIfExists(unfinished);
        Path said = Path.of(archive + ".log");
        List<String> command = quick();
        // One process that has most of what children have: a broker, clients, a pipeline, the command line.
        command.addAll(List.of("-Xlog:all=error", "-XX:ArchiveClassesAtExit=" + unfinished, "-cp", path(jars())));
        command.addAll(List.of("dev.weir.cli.Main", "demo", "--records=1", "--json"));
        Process demo = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        boolean ended = demo.waitFor(MAX_SECONDS, TimeUnit.SECONDS);
        demo.destroyForcibly();
        if (!ended || demo.exitValue() != 0 || !Files.exists(unfinished)) {
            throw new IOException("no archive of classes was made for the JVMs that tests start: see " + said);
        }
        Files.move(unfinished, archive);
    }
}
