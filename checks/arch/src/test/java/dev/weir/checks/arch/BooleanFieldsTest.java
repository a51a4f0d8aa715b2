package dev.weir.checks.arch;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Limits the boolean fields of classes that write records. Their state must be an enum with named transitions. */
class BooleanFieldsTest {

    private static final int MOST = 3;

    private static final String ROOMS = "dev.weir.kafka.internal.out";

    @Test
    void classesOfTheWayOut_haveFewBooleanFields() {
        JavaClasses classes = new ClassFileImporter().importPackages(ROOMS);
        assertThat(classes).isNotEmpty();
        assertThat(tooMany(classes)).isEmpty();
    }

    @Test
    void classWithManyBooleanFields_isFound() {
        assertThat(tooMany(new ClassFileImporter().importClasses(Planted.class, Fewer.class)))
                .containsExactly(Planted.class.getName() + ": 4 boolean fields");
    }

    private static List<String> tooMany(JavaClasses classes) {
        return classes.stream()
                .filter(type -> booleans(type) > MOST)
                .map(type -> type.getName() + ": " + booleans(type) + " boolean fields")
                .sorted()
                .toList();
    }

    private static long booleans(JavaClass type) {
        return type.getFields().stream()
                .filter(field -> !field.getModifiers().contains(JavaModifier.SYNTHETIC)
                        && !field.getModifiers().contains(JavaModifier.STATIC))
                .filter(BooleanFieldsTest::isBoolean)
                .count();
    }

    private static boolean isBoolean(JavaField field) {
        return List.of(boolean.class.getName(), Boolean.class.getName(), AtomicBoolean.class.getName())
                .contains(field.getRawType().getName());
    }

    @SuppressWarnings("unused") // the class is only read, never loaded
    private static final class Planted {
        private boolean first;
        private volatile boolean second;
        private final AtomicBoolean third = new AtomicBoolean();
        private Boolean fourth = false;
    }

    @SuppressWarnings("unused") // the class is only read, never loaded
    private static final class Fewer {
        private static final boolean SHARED = true;
        private boolean first;
        private boolean second;
        private boolean third;
    }
}
