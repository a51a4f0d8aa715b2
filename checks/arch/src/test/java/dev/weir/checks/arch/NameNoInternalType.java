package dev.weir.checks.arch;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.domain.properties.HasModifiers;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.stream.Stream;

/**
 * Requires public types in everything that users see of a class: supertypes, types of members, and type arguments.
 * Stateless.
 */
final class NameNoInternalType extends ArchCondition<JavaClass> {

    NameNoInternalType() {
        super("name no internal type where a user can see it");
    }

    @Override
    public void check(JavaClass type, ConditionEvents events) {
        if (!isVisible(type)) {
            return;
        }
        report(type, type.getFullName(), supertypes(type), events);
        type.getMembers().stream()
                .filter(NameNoInternalType::isExposed)
                .filter(member -> !member.getModifiers().contains(JavaModifier.SYNTHETIC))
                .forEach(member -> report(type, member.getFullName(), types(member), events));
    }

    private static void report(JavaClass type, String place, Stream<JavaType> types, ConditionEvents events) {
        types.flatMap(named -> named.getAllInvolvedRawTypes().stream())
                .filter(HouseRules::isInternal)
                .distinct()
                .forEach(named ->
                        events.add(SimpleConditionEvent.violated(type, place + " names " + named.getFullName())));
    }

    private static Stream<JavaType> supertypes(JavaClass type) {
        return Stream.concat(type.getSuperclass().stream(), type.getInterfaces().stream());
    }

    private static Stream<JavaType> types(JavaMember member) {
        if (member instanceof JavaCodeUnit code) {
            return Stream.of(
                            Stream.of(code.getReturnType()),
                            code.getParameterTypes().stream(),
                            code.getExceptionTypes().stream().map(JavaType.class::cast))
                    .flatMap(each -> each);
        }
        return Stream.of(((JavaField) member).getType());
    }

    private static boolean isVisible(JavaClass type) {
        return isExposed(type)
                && type.getEnclosingClass().map(NameNoInternalType::isVisible).orElse(true);
    }

    private static boolean isExposed(HasModifiers thing) {
        return thing.getModifiers().contains(JavaModifier.PUBLIC)
                || thing.getModifiers().contains(JavaModifier.PROTECTED);
    }
}
