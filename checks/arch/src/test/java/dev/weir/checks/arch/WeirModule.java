package dev.weir.checks.arch;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The modules of Weir: where each lies, its package below the root, and the modules that it may use. Constants only.
 */
enum WeirModule {
    STREAM("weir-stream", "stream"),
    LEAN("weir-lean", "lean"),
    KAFKA("weir-kafka", "kafka"),
    METRICS("weir-metrics", "metrics"),
    CONSOLE("weir-console", "console"),
    TESTKIT("weir-testkit", "testkit"),
    OTEL("weir-otel", "otel"),
    JDBC("weir-jdbc", "jdbc"),
    SPRING("weir-spring-boot-starter", "spring"),
    DRIVER("weir-driver", "driver"),
    BENCH("weir-bench", "bench"),
    ASIMOV("examples/asimov", "examples.asimov"),
    SPRING_EXAMPLE("examples/spring", "examples.spring"),
    CLI("weir-cli", "cli"),
    SITE("weir-site", "site");

    /** What jcstress makes of a case for each run; nobody wrote it. */
    private static final Pattern GENERATED = Pattern.compile(".*_jcstress(\\$.*)?\\.class");

    private static final Path ROOT = Path.of(System.getProperty("weir.root"));

    final String folder;
    final String packageName;

    WeirModule(String folder, String packageName) {
        this.folder = folder;
        this.packageName = packageName;
    }

    /** The packages of the modules that this one may use. */
    Set<String> uses() {
        return switch (this) {
            case STREAM, DRIVER, LEAN -> Set.of();
            case KAFKA -> Set.of("stream", "lean");
            case METRICS, TESTKIT, JDBC, ASIMOV -> Set.of("stream", "kafka");
            // The testkit for its tests, as its pom has it.
            case OTEL -> Set.of("stream", "kafka", "testkit");
            case SPRING -> Set.of("stream", "kafka", "metrics", "testkit");
            case SPRING_EXAMPLE -> Set.of("stream", "kafka", "spring", "testkit");
            // The console's browser for its tests.
            case SITE -> Set.of("console");
            case CONSOLE -> Set.of("stream", "kafka", "metrics");
            case BENCH -> Set.of("stream", "kafka", "testkit", "driver");
            case CLI ->
                Set.of("stream", "kafka", "metrics", "console", "testkit", "driver", "bench", "examples.asimov");
        };
    }

    boolean hasMainSources() {
        return hasSources("src/main/java");
    }

    boolean hasTestSources() {
        return hasSources("src/test/java");
    }

    JavaClasses mainClasses() {
        return classes(Path.of(folder, "target", "classes"));
    }

    JavaClasses testClasses() {
        return classes(Path.of(folder, "target", "test-classes"));
    }

    static JavaClasses allMainClasses() {
        return classes(Arrays.stream(values())
                .map(module -> Path.of(module.folder, "target", "classes"))
                .toArray(Path[]::new));
    }

    /** Main and test classes of all modules and of the other checks. This module's own violate on purpose. */
    static JavaClasses allClasses() {
        Stream<String> folders = Stream.concat(
                Arrays.stream(values()).map(module -> module.folder),
                Stream.of("checks/concurrency", "checks/integration", "checks/interop", "checks/release"));
        return classes(folders.flatMap(folder ->
                        Stream.of(Path.of(folder, "target", "classes"), Path.of(folder, "target", "test-classes")))
                .toArray(Path[]::new));
    }

    /** The module folders that the parent POM names. */
    static List<String> foldersOfBuild() throws IOException {
        return Files.readAllLines(ROOT.resolve("pom.xml")).stream()
                .map(String::strip)
                .filter(line -> line.startsWith("<module>"))
                .map(line -> line.substring("<module>".length(), line.indexOf("</module>")))
                .toList();
    }

    private boolean hasSources(String sourceFolder) {
        Path sources = ROOT.resolve(folder).resolve(sourceFolder);
        if (!Files.isDirectory(sources)) {
            return false;
        }
        try (Stream<Path> files = Files.walk(sources)) {
            return files.anyMatch(file -> file.toString().endsWith(".java"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static JavaClasses classes(Path... folders) {
        return new ClassFileImporter()
                .withImportOption(location -> !location.matches(GENERATED))
                .importPaths(Arrays.stream(folders)
                        .map(ROOT::resolve)
                        .filter(Files::isDirectory)
                        .toArray(Path[]::new));
    }
}
