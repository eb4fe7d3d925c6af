//! French, Spanish, Portuguese and Italian.

use super::Language;
use crate::offline::cue::Cue;

pub(super) const FRENCH: Language = Language {
    tag: "fr",
    is_latin: true,
    fragments: &[],
    weekdays: None,
    frames: [
        "La personne : ",
        "La règle : ",
        "Dans ce projet : ",
        "Où chercher : ",
    ],
    cues: &[
        (
            Cue::Lead,
            &[
                r"^(?:s'il te plaît|s'il vous plaît|stp|svp|et|mais|donc|non|oui|merci|au fait|ok)(?:[,:;.!—] ?| |$)",
            ],
        ),
        (
            Cue::Question,
            &[
                r"^(?:est-ce|pourquoi|comment|quand|où|qui|quel(?:le)?s?|que|peux-tu|pourrais-tu|faut-il|doit-on|devrions-nous|peut-on)\b[^.]*\?",
            ],
        ),
        (
            Cue::Hypothetical,
            &[r"\b(?:si on|si nous|et si|peut-être|imagine|supposons|par exemple|on pourrait)\b"],
        ),
        (
            Cue::Reported,
            &[
                r"\b(?:il|elle|on|la doc(?:umentation)?|le readme|le linter) (?:dit|a dit|disait|indique|recommande)\b",
            ],
        ),
        (
            Cue::Remember,
            &[
                r"^(?:souviens-toi|souvenez-vous|retiens|retenez|rappelle-toi|n'oublie (?:pas|jamais)|note bien|garde en mémoire|mémorise)(?: bien)?(?: qu(?:e |')| :|:|,)",
            ],
        ),
        (
            Cue::RememberPrevious,
            &[r"^(?:souviens-t'en|retiens(?:-le| ça| cela)|note-le)[.! ]*$"],
        ),
        (
            Cue::DoNotRemember,
            &[
                r"\bne (?:retiens|mémorise|note|sauvegarde) pas\b",
                r"\bpas la peine de (?:retenir|mémoriser|noter)\b",
            ],
        ),
        (
            Cue::Withdraw,
            &[r"^(?:oublie (?:ça|cela|ce que)|laisse tomber|annule)"],
        ),
        (
            Cue::Lasting,
            &[
                r"(?:à|a) partir de maintenant|(?:d[ée]sormais|dor[ée]navant|[àa] l'avenir|la prochaine fois)",
            ],
        ),
        (
            Cue::Rule,
            &[
                r"^(?:(?:à|a) partir de maintenant|désormais|desormais|dorénavant|à l'avenir|la prochaine fois)[, ]",
                r"^(?:n'|ne )[a-zéèêà'-]+ (?:jamais|plus)\b",
                r"^(?:réponds|écris|utilise|demande|lance|vérifie|mets|fais|teste|montre)(?:-moi)? toujours\b",
                r"\b(?:on|nous) (?:n'|ne )?[a-zéèê]+ (?:jamais|toujours)\b",
                r"^arrête d(?:e |')",
            ],
        ),
        (
            Cue::Preference,
            &[
                r"\bje préfère\b",
                r"\bje (?:n'aime pas|déteste) (?:quand|que|les)\b",
                r"\bj'aime(?:rais)? (?:bien )?(?:quand|que) tu\b",
            ],
        ),
        (
            Cue::OneOff,
            &[
                r"\b(?:dans|pour|sur) (?:cette?|ce) (?:fonction|fichier|méthode|classe|test|branche|commit|tâche|ticket|page|pr)\b",
            ],
        ),
        (
            Cue::Once,
            &[
                r"\b(?:pour l'instant|pour le moment|cette fois|aujourd'hui seulement|juste cette fois)\b",
            ],
        ),
        (
            Cue::Person,
            &[
                r"\bje suis (?:un |une |le |la |l')?(?:[a-zéèêç-]+ )?(?:développeu(?:r|se)|ingénieure?|chef(?:fe)? de|designer|analyste|architecte|étudiante?|chercheu(?:r|se)|data scientist|responsable|testeu(?:r|se)|consultante?|débutante?|enseignante?|comptable|product manager)",
                r"\b(?:je travaille comme|je programme depuis|j'ai [0-9a-z]+ ans d'expérience|je débute (?:en|avec|sur)|je ne connais pas (?:bien )?|je n'ai jamais (?:utilisé|écrit|touché))",
            ],
        ),
        (
            Cue::Decision,
            &[
                r"\b(?:nous avons|on a|l'équipe a) (?:finalement |enfin )?(?:décidé|convenu|choisi)\b",
            ],
        ),
        (
            Cue::Secret,
            &[r"\b(?:mot de passe|clé|jeton|token)\b[a-z ]{0,12}(?:est|:|=)"],
        ),
        (
            Cue::Reason,
            &[r"[,;—( -]*\b(?:parce qu|car |sinon|puisqu|pour éviter|afin )"],
        ),
        (
            Cue::Described,
            &[
                r"\b(?:il|elle|ça|ce|cela|le [a-zé]+|la [a-zé]+) (?:ne )?[a-zé]+ (?:toujours|jamais)\b",
            ],
        ),
    ],
};

pub(super) const SPANISH: Language = Language {
    tag: "es",
    is_latin: true,
    fragments: &[],
    weekdays: None,
    frames: [
        "La persona: ",
        "La regla: ",
        "En este proyecto: ",
        "Dónde buscar: ",
    ],
    cues: &[
        (
            Cue::Lead,
            &[
                r"^(?:por favor|y|pero|entonces|no|sí|gracias|hola|además|ok)(?:[,:;.!—] ?|$)",
                r"^(?:por favor|y|pero|además) ",
            ],
        ),
        (
            Cue::Question,
            &[
                r"^¿",
                r"^(?:por qué|cómo|cuándo|dónde|quién|qué|deberíamos|puedes|podrías)\b[^.]*\?",
            ],
        ),
        (
            Cue::Hypothetical,
            &[r"\b(?:si siempre|y si|quizás?|tal vez|imagina|supongamos|por ejemplo|podríamos)"],
        ),
        (
            Cue::Reported,
            &[
                r"\b(?:él|ella|la documentación|el readme|el linter|alguien) (?:dice|dijo|recomienda)\b",
            ],
        ),
        (
            Cue::Remember,
            &[
                r"^(?:recuerda|recuérdalo|acuérdate(?: de)?|ten en cuenta|no olvides|memoriza|anota|guarda en (?:tu |la )?memoria)(?: siempre)?(?: que\b|:|,)",
            ],
        ),
        (
            Cue::RememberPrevious,
            &[r"^(?:recuérdalo|recuerda (?:esto|eso)|apúntalo|anótalo|memorízalo)[.! ]*$"],
        ),
        (
            Cue::DoNotRemember,
            &[
                r"\bno (?:recuerdes|guardes|memorices|anotes) (?:esto|eso|nada)\b",
                r"\bno hace falta (?:recordar|guardar|que lo)",
            ],
        ),
        (
            Cue::Withdraw,
            &[r"^(?:olvida (?:eso|lo)|olvídalo|me retracto|mejor no)"],
        ),
        (
            Cue::Lasting,
            &[
                r"\b(?:a partir de ahora|de ahora en adelante|desde ahora|en el futuro|en adelante|la pr(?:ó|o)xima vez|nunca m(?:á|a)s)",
            ],
        ),
        (
            Cue::Rule,
            &[
                r"^(?:a partir de ahora|de ahora en adelante|desde ahora|en adelante|la próxima vez|en el futuro)[, ]",
                r"^(?:nunca|siempre|jamás) (?:[a-záéíóú]+(?:es|as|e|a)|hagas?|pongas?)\b",
                r"^(?:deja|para) de [a-z]+(?:ar|er|ir)\b",
                r"\b(?:nunca|siempre) (?:desplegamos|usamos|escribimos|hacemos|subimos|fusionamos|probamos)\b",
                r"^no vuelvas a\b",
            ],
        ),
        (
            Cue::Preference,
            &[
                r"\b(?:prefiero|no me gusta (?:que|cuando)|me gusta (?:que|cuando)|odio (?:que|cuando)|quiero que siempre)\b",
            ],
        ),
        (
            Cue::OneOff,
            &[
                r"\b(?:en|para) (?:esta|este) (?:función|archivo|método|clase|prueba|test|rama|commit|tarea|ticket|página|pr)\b",
            ],
        ),
        (
            Cue::Once,
            &[r"\b(?:por ahora|esta vez|de momento|solo hoy|por el momento)\b"],
        ),
        (
            Cue::Person,
            &[
                r"\bsoy (?:un |una |el |la )?(?:[a-záéíóú-]+ )?(?:desarrollador|desarrolladora|ingenier[oa]|diseñador|diseñadora|analista|arquitect[oa]|estudiante|científic[oa]|jefe|jefa|responsable|gerente|product manager|tester|consultor|consultora|principiante|profesor|profesora|contable|programador|programadora)\b",
                r"\b(?:trabajo como|llevo [0-9a-z]+ años|tengo [0-9a-z]+ años de experiencia|nunca he (?:usado|escrito|tocado)|soy nuev[oa] (?:en|con)|no conozco bien)\b",
            ],
        ),
        (
            Cue::Decision,
            &[
                r"\b(?:hemos|el equipo ha|se ha) (?:decidido|acordado|elegido)\b",
                r"\bdecidimos\b",
            ],
        ),
        (
            Cue::Secret,
            &[r"\b(?:contraseña|clave|token)\b[a-z ]{0,12}(?:es|:|=)"],
        ),
        (
            Cue::Reason,
            &[r"[,;—( -]*\b(?:porque|ya que|si no|para que|puesto que)\b"],
        ),
        (
            Cue::Described,
            &[r"\b(?:esto|eso|él|la [a-z]+|el [a-z]+) (?:siempre|nunca)\b"],
        ),
    ],
};

pub(super) const PORTUGUESE: Language = Language {
    tag: "pt",
    is_latin: true,
    fragments: &[],
    weekdays: None,
    frames: [
        "A pessoa: ",
        "A regra: ",
        "Neste projeto: ",
        "Onde procurar: ",
    ],
    cues: &[
        (
            Cue::Question,
            &[r"^(?:por que|como|quando|onde|quem|o que|devemos|você pode|podemos)\b[^.]*\?"],
        ),
        (
            Cue::Hypothetical,
            &[r"\b(?:se sempre|e se|talvez|imagine|suponha|por exemplo|poderíamos)"],
        ),
        (
            Cue::Remember,
            &[
                r"^(?:por favor, )?(?:lembre-se|lembra-te|lembre|não (?:se )?esqueça|memorize|anote|guarde na memória)(?: de)?(?: que\b|:|,)",
            ],
        ),
        (
            Cue::DoNotRemember,
            &[r"\bnão (?:guarde|memorize|anote|salve) (?:isso|isto)\b"],
        ),
        (
            Cue::Lasting,
            &[
                r"\b(?:a partir de agora|de agora em diante|daqui em diante|no futuro|da próxima vez|nunca mais)",
            ],
        ),
        (
            Cue::Rule,
            &[
                r"^(?:a partir de agora|de agora em diante|daqui em diante|da próxima vez)[, ]",
                r"^(?:nunca|sempre) (?:[a-zãáéíóúç]+(?:e|a))\b",
                r"^pare de [a-z]+(?:ar|er|ir)\b",
            ],
        ),
        (
            Cue::Preference,
            &[r"\b(?:eu )?(?:prefiro|não gosto (?:que|quando)|gosto (?:que|quando))\b"],
        ),
        (
            Cue::OneOff,
            &[
                r"\b(?:nesta|neste|nessa|nesse) (?:função|arquivo|método|classe|teste|branch|commit|tarefa|página|pr)\b",
            ],
        ),
        (
            Cue::Once,
            &[r"\b(?:por enquanto|desta vez|por ora|só hoje)\b"],
        ),
        (
            Cue::Person,
            &[
                r"\b(?:eu )?sou (?:um |uma |o |a )?(?:[a-zãáéíóúç-]+ )?(?:desenvolvedora?|engenheir[oa]|designer|analista|arquitet[oa]|estudante|cientista|gerente|product manager|testadora?|consultora?|iniciante|professora?|programadora?)\b",
                r"\b(?:trabalho como|tenho [0-9a-z]+ anos de experiência|nunca usei|sou nov[oa] (?:em|com))\b",
            ],
        ),
        (
            Cue::Secret,
            &[r"\b(?:senha|chave|token)\b[a-z ]{0,12}(?:é|:|=)"],
        ),
        (
            Cue::Reason,
            &[r"[,;—( -]*\b(?:porque|pois|senão|já que|para que)\b"],
        ),
    ],
};

pub(super) const ITALIAN: Language = Language {
    tag: "it",
    is_latin: true,
    fragments: &[],
    weekdays: None,
    frames: [
        "La persona: ",
        "La regola: ",
        "In questo progetto: ",
        "Dove cercare: ",
    ],
    cues: &[
        (
            Cue::Question,
            &[r"^(?:perché|come|quando|dove|chi|cosa|dovremmo|puoi|potresti)\b[^.]*\?"],
        ),
        (
            Cue::Hypothetical,
            &[r"\b(?:se sempre|e se|forse|immagina|supponiamo|per esempio|potremmo)\b"],
        ),
        (
            Cue::Remember,
            &[
                r"^(?:per favore, )?(?:ricorda(?:ti)?|tieni (?:a mente|presente)|non dimenticare|memorizza|annota)(?: che\b|:|,)",
            ],
        ),
        (
            Cue::DoNotRemember,
            &[r"\bnon (?:ricordare|salvare|memorizzare|annotare) (?:questo|questa|nulla)\b"],
        ),
        (
            Cue::Lasting,
            &[
                r"\b(?:d'ora in poi|da ora in poi|da adesso in poi|in futuro|la prossima volta|mai pi(?:ù|u))",
            ],
        ),
        (
            Cue::Rule,
            &[
                r"^(?:d'ora in poi|da ora in poi|da adesso in poi|la prossima volta|in futuro)[, ]",
                r"^non [a-z]+(?:are|ere|ire) (?:mai|più)\b",
                r"^smetti(?:la)? di\b",
            ],
        ),
        (
            Cue::Preference,
            &[r"\b(?:preferisco|non mi piace (?:che|quando)|mi piace (?:che|quando))\b"],
        ),
        (
            Cue::OneOff,
            &[
                r"\b(?:in|per) (?:questa|questo) (?:funzione|file|metodo|classe|test|branch|commit|attività|pagina|pr)\b",
            ],
        ),
        (
            Cue::Once,
            &[r"\b(?:per ora|questa volta|per adesso|solo oggi)\b"],
        ),
        (
            Cue::Person,
            &[
                r"\bsono (?:un |una |un'|il |la )?(?:[a-zàèéìòù-]+ )?(?:sviluppator(?:e|rice)|ingegnere|designer|analista|architett[oa]|studente(?:ssa)?|data scientist|responsabile|product manager|tester|consulente|principiante|programmator(?:e|rice))\b",
                r"\b(?:lavoro come|ho [0-9a-z]+ anni di esperienza|non ho mai usato)\b",
            ],
        ),
        (
            Cue::Secret,
            &[r"\b(?:password|chiave|token)\b[a-z ]{0,12}(?:è|:|=)"],
        ),
        (
            Cue::Reason,
            &[r"[,;—( -]*\b(?:perché|altrimenti|poiché|dato che)\b"],
        ),
    ],
};
